// A chart: axes, a drawing inside them, and a cursor for mouse, finger and keyboard.

const MARGIN = { right: 16, bottom: 48, left: 66 };
const NARROW = 480; // pixels: below it a chart spends less on its margins
const PAPER = 340; // pixels across a printed chart
const STEPS = 200; // places at which the cursor can stand

function scale(axis, from, to) {
  const way = axis.log ? Math.log10 : (v) => v;
  const [first, last] = [way(axis.from), way(axis.to)];
  const inside = (v) => (axis.log ? Math.max(v, axis.from) : v);
  const at = (v) => from + ((way(inside(v)) - first) / (last - first)) * (to - from);
  at.share = (v) => Math.min(1, Math.max(0, (way(inside(v)) - first) / (last - first)));
  at.inverse = (share) => {
    const v = first + Math.min(1, Math.max(0, share)) * (last - first);
    return Number((axis.log ? 10 ** v : v).toPrecision(axis.log ? 2 : 6));
  };
  return at;
}

function ticks(axis, room) {
  if (axis.log) {
    const found = [];
    const last = Math.floor(Math.log10(axis.to) + 1e-9);
    for (let k = Math.ceil(Math.log10(axis.from) - 1e-9); k <= last; k += 1) found.push(Number(`1e${k}`));
    return found;
  }
  const rough = (axis.to - axis.from) / Math.max(2, room);
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5].find((m) => unit * m >= rough * 0.999) ?? 10);
  const found = [];
  for (let i = Math.ceil(axis.from / step - 1e-9); i * step <= axis.to + step * 1e-9; i += 1) {
    found.push(Number((i * step).toPrecision(12)));
  }
  return found;
}

function tickWord(value) {
  if (value !== 0 && Math.abs(value) < 1e-4) {
    const digits = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
    const [mantissa, power] = value.toExponential().split("e");
    const raised = [...power].map((c) => digits[c] ?? "").join("");
    return `${mantissa === "1" ? "" : `${mantissa}·`}10${raised}`;
  }
  return plain(value);
}

// Words in lines of at most `most` characters.
function wrapped(words, most) {
  const lines = [""];
  for (const word of words.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length <= most || lines.at(-1) === "") lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function pathOf(points, plot) {
  return `M${points.map(([x, y]) => `${plot.x(x).toFixed(1)} ${plot.y(y).toFixed(1)}`).join("L")}`;
}

class Chart {
  // plan() says what is to be drawn now:
  //   x, y      axes {from, to, log, name};   says   lines of words above the frame
  //   ratio     height over width;            draw(plot)   the drawing
  //   read(x)   {caption, columns, rows, marks, sentence} of the cursor, and words after the rows
  //   numbers() {caption, columns, rows} behind the chart, as numbersTable takes them
  //   legend    [style, words] of the lines, and file, a part of a name, for saved pictures
  //   stops     rising places at which alone the cursor may stand, if not anywhere
  constructor(id, plan, start) {
    this.figure = byId(id);
    this.picture = this.figure.querySelector(".picture");
    this.plan = plan;
    this.value = start;
    this.width = 0;
    this.talk = 0;
    this.listen();
    this.figure.querySelector(".numbers").before(saveButtons(this));
    redraws.push(() => this.draw());
    new ResizeObserver(() => requestAnimationFrame(() => this.fit())).observe(this.picture);
    // Words must be as large on paper as on a screen.
    addEventListener("beforeprint", () => this.fit(Math.min(this.width, PAPER), true));
    addEventListener("afterprint", () => this.fit());
    this.fit();
  }

  fit(width = Math.round(this.picture.clientWidth), paper = false) {
    if ((width === this.width && paper === this.paper) || width === 0) return;
    Object.assign(this, { width, paper });
    this.draw();
  }

  draw() {
    if (!this.width) return;
    const plan = (this.now = this.plan());
    const narrow = this.width < NARROW;
    const left = narrow ? 52 : MARGIN.left;
    const start = narrow ? 2 : left; // of the words above the frame
    const says = plan.says.flatMap((words, i) =>
      wrapped(words, Math.floor((this.width - start) / 7.8)).map((line) => [line, i ? "says" : "title"]),
    );
    const top = 12 + 18 * says.length;
    const across = this.width - left - MARGIN.right;
    const least = this.paper ? 0.75 : narrow ? 0.85 : 0; // a narrow chart is higher, if there is room
    const down = Math.round(Math.min(across * Math.max(least, plan.ratio), 560));
    const height = top + down + MARGIN.bottom;
    const box = { left, right: this.width - MARGIN.right, top, bottom: top + down, start };
    const plot = (this.plot = {
      box,
      x: scale(plan.x, box.left, box.right),
      y: scale(plan.y, box.bottom, box.top),
      svg: shape("svg", { viewBox: `0 0 ${this.width} ${height}`, "aria-hidden": "true" }),
    });
    if (plan.stops) this.value = plan.stops[this.stopAt(plot.x.share(this.value))];
    this.furnish(says);
    this.ink(plan);
    this.cursor = shape("g", { class: "cursor" });
    plot.svg.append(this.cursor);
    this.picture.replaceChildren(plot.svg);
    this.point(false);
    this.fillNumbers();
    for (const button of this.figure.querySelectorAll("[data-save]")) button.setAttribute("aria-label", `${button.dataset.save} of the chart ${this.name()}`);
  }

  // What the chart is called: its heading.
  name() {
    return [this.figure.closest("section").querySelector("h2"), this.figure.querySelector("h3")].filter(Boolean).map((part) => part.textContent).join(", ");
  }

  furnish(says) {
    const { x, y } = this.now;
    const { box, svg } = this.plot;
    says.forEach(([words, kind], i) => {
      svg.append(shape("text", { class: kind, x: box.start, y: 15 + 18 * i }, words));
    });
    for (const value of ticks(x, (box.right - box.left) / (x.to === 1 ? 45 : 70))) {
      const at = this.plot.x(value);
      svg.append(shape("path", { class: "grid", d: `M${at} ${box.top}V${box.bottom}` }));
      svg.append(shape("text", { x: at, y: box.bottom + 18, "text-anchor": "middle" }, tickWord(value)));
    }
    for (const value of ticks(y, (box.bottom - box.top) / 40)) {
      const at = this.plot.y(value);
      svg.append(shape("path", { class: "grid", d: `M${box.left} ${at}H${box.right}` }));
      const word = y.word ? y.word(value) : tickWord(value);
      svg.append(shape("text", { x: box.left - 8, y: at + 4, "text-anchor": "end" }, word));
    }
    const middle = (box.left + box.right) / 2;
    const below = { class: "axis-name", x: middle, y: box.bottom + 40, "text-anchor": "middle" };
    svg.append(shape("text", below, x.name));
    const turn = `translate(13 ${(box.top + box.bottom) / 2}) rotate(-90)`;
    svg.append(shape("text", { class: "axis-name", transform: turn, "text-anchor": "middle" }, y.name));
  }

  // The drawing is kept inside the frame.
  ink(plan) {
    const { box, svg } = this.plot;
    const size = { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top };
    const id = `${this.figure.id}-frame`;
    svg.append(shape("clipPath", { id }, shape("rect", { ...size, x: size.x - 2, y: size.y - 2, width: size.width + 4, height: size.height + 4 })));
    this.plot.layer = shape("g", { "clip-path": `url(#${id})` });
    svg.append(this.plot.layer, shape("rect", { class: "frame", ...size }));
    plan.draw(this);
  }

  line(kind, points) {
    if (!points.length) return;
    this.plot.layer.append(shape("path", { class: kind, d: pathOf(points, this.plot) }));
  }

  area(kind, above, below) {
    const ring = [...above, ...[...below].reverse()];
    this.plot.layer.append(shape("path", { class: kind, d: `${pathOf(ring, this.plot)}Z` }));
  }

  // ---- the cursor ----

  listen() {
    const { picture } = this;
    if (this.value === undefined) return;
    picture.tabIndex = 0;
    picture.setAttribute("role", "slider");
    picture.setAttribute("aria-valuemin", "0");
    picture.setAttribute("aria-valuemax", String(STEPS));
    const follow = (event) => {
      const { left, width } = picture.getBoundingClientRect();
      const { box } = this.plot;
      const seen = ((event.clientX - left) / width) * this.width;
      this.move((seen - box.left) / (box.right - box.left));
    };
    picture.addEventListener("pointermove", follow);
    picture.addEventListener("pointerdown", follow);
    picture.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const far = event.shiftKey ? 10 : 1;
    const steps = { ArrowRight: far, ArrowUp: far, ArrowLeft: -far, ArrowDown: -far, PageUp: 20, PageDown: -20, Home: -STEPS, End: STEPS };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const step = steps[event.key];
    if (this.now.stops) return this.stand(this.stopAt(this.plot.x.share(this.value)) + step);
    const from = this.value;
    let place = Math.round(this.plot.x.share(from) * STEPS);
    do place += step;
    while (this.plot.x.inverse(place / STEPS) === from && place > 0 && place < STEPS);
    this.move(place / STEPS);
  }

  // The number of the stop nearest to a share of the axis.
  stopAt(share) {
    const apart = this.now.stops.map((stop) => Math.abs(this.plot.x.share(stop) - share));
    return apart.indexOf(Math.min(...apart));
  }

  stand(stop) {
    this.value = this.now.stops[Math.min(this.now.stops.length - 1, Math.max(0, stop))];
    this.point(true);
  }

  move(share) {
    if (this.now.stops) return this.stand(this.stopAt(share));
    this.value = this.plot.x.inverse(Math.round(Math.min(1, Math.max(0, share)) * STEPS) / STEPS);
    this.point(true);
  }

  point(aloud) {
    if (this.value === undefined) return;
    const { x, y, box } = this.plot;
    const seen = this.now.read(this.value);
    const at = x(this.value);
    this.cursor.replaceChildren(shape("path", { class: "cross", d: `M${at} ${box.top}V${box.bottom}` }));
    // All stand at the cursor's place; intervals stay apart by the width of their caps.
    seen.marks.forEach(({ height, low, high, kind }, i) => {
      if (low !== undefined) {
        const cap = 4 + 4 * i;
        const reach = `M${at - cap} ${y(low)}h${2 * cap}m${-cap} 0V${y(high)}m${-cap} 0h${2 * cap}`;
        this.cursor.append(shape("path", { class: `reach ${kind}`, d: reach }));
      }
    });
    for (const { height, kind } of seen.marks) {
      this.cursor.append(shape("circle", { class: `mark ${kind}`, cx: at, cy: y(height), r: 4.5 }));
    }
    this.picture.setAttribute("aria-label", `${this.now.x.name}: move along the chart`);
    this.picture.setAttribute("aria-valuenow", String(Math.round(x.share(this.value) * STEPS)));
    this.picture.setAttribute("aria-valuetext", seen.caption);
    const reading = [narrowTable(seen.caption, seen.columns, seen.rows)];
    if (seen.after) reading.push(make("p", {}, seen.after));
    this.figure.querySelector(".reading").replaceChildren(...reading);
    if (aloud) this.say(seen.sentence);
  }

  // Screen readers hear where the cursor rests, not every place it passes.
  say(words) {
    clearTimeout(this.talk);
    this.talk = setTimeout(() => (this.figure.querySelector("[aria-live]").textContent = words), 250);
  }

  // ---- the table behind the chart ----

  fillNumbers() {
    const details = this.figure.querySelector(".numbers");
    const fill = () => details.open && details.querySelector(".scroll").replaceChildren(numbersTable(this.now.numbers()));
    details.ontoggle = fill;
    fill();
  }
}
