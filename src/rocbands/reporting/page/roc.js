// ROC curves with bands: method, true or future curve, level, and a logarithmic axis.

const bandsOf = (model) => model.bands ?? [];
const allBands = models.flatMap(bandsOf);
const distinct = (list) => [...new Set(list)];
const choice = { method: null, target: null, level: null, log: preset.log_axis, view: "roc" };
// Curves are drawn true down to 0.00001.
const lowest = Math.max(1e-5, 10 ** Math.floor(Math.log10(1 / Math.max(10, ...models.map((model) => model.n_neg)))));

function fits(band, wish) {
  return Object.entries(wish).every(([name, value]) => band[name] === value);
}

function bandNow(model) {
  const { method, target, level } = choice;
  return bandsOf(model).find((band) => fits(band, { method, target, level })) ?? null;
}

// Keep the reader's choice where such a band exists.
function settle(wish) {
  Object.assign(choice, wish);
  const { method } = choice;
  const targets = allBands.filter((band) => fits(band, { method })).map((band) => band.target);
  if (!targets.includes(choice.target)) choice.target = targets[0];
  const { target } = choice;
  const levels = allBands.filter((band) => fits(band, { method, target })).map((band) => band.level);
  const gap = (level) => Math.abs(level - choice.level);
  if (!levels.includes(choice.level)) choice.level = levels.sort((a, b) => gap(a) - gap(b))[0];
}

function curveWords(band) {
  if (band.target !== "future") return "the true curve";
  if (noun !== "model") return "a future curve of as many cases";
  return band.future ? `a future curve (${band.future.map(count).join(" + ")} cases)` : "a future curve";
}

function bandSays() {
  const band = models.map(bandNow).find(Boolean);
  if (!band) return [byId("roc-title").textContent, "no band of this kind for these data"];
  return [`${percent(band.level)} ${band.coverage} band for ${curveWords(band)}`, `method: ${band.method}`];
}

// What was measured at the nearest sizes and at this level, and where the band failed worst.
function heldWords(all, level) {
  const same = all.filter((row) => row.level === level);
  const rows = same.length ? same : all;
  const [row] = rows;
  if (!row) return "Its coverage has not been measured";
  const worst = rows.reduce((a, b) => (b.coverage_low < a.coverage_low - 0.05 ? b : a), row);
  const failed = worst === row ? "" : `. At worst ${percent(worst.coverage_low)}: ${worst.where}`;
  const found = `${percent(row.coverage_low)} to ${percent(row.coverage_high)}`;
  const sizes = row.n_pos === null ? `${count(row.rows)}` : `${count(row.n_pos)} + ${count(row.n_neg)}`;
  const other = same.length ? "" : ` At ${percent(level)} the coverage has not been measured.`;
  return `Measured coverage of ${percent(row.level)} bands with ${sizes} cases: ${found} (${row.where})${failed}.${other}`;
}

function bandCaption() {
  const band = models.map(bandNow).find(Boolean);
  if (!band) return "There is no band of this kind for these data.";
  const [whole, curve] =
    band.target === "future" ? ["entire curve of such a future test set", "the curve of such a future test set"] : ["entire true curve", "the true curve"];
  const meaning =
    band.coverage === "simultaneous"
      ? `Simultaneous: in ${percent(band.level)} of test sets a band like this contains the ${whole}.`
      : `Pointwise: at any single false positive rate, a band like this contains ${curve} in ${percent(band.level)} of test sets; it contains the whole curve less often.`;
  const measured = payload.trust.measured.filter((row) => row.method === band.method && row.target === band.target);
  const missing = models.filter((model) => !bandNow(model)).map((model) => `No such band for ${model.name}.`);
  return [meaning, heldWords(measured, band.level), ...missing].filter(Boolean).map(ended).join(" ");
}

function bandNotes() {
  const bands = models.map(bandNow).filter(Boolean);
  const notes = models.flatMap((model) => (bandNow(model)?.notes ?? []).map((note) => [note, model.name]));
  const owners = (note) => notes.filter(([other]) => other === note).map(([, name]) => name);
  const said = distinct(notes.map(([note]) => note)).map((note) =>
    owners(note).length === models.length ? note : `${owners(note).join(", ")}: ${note}`,
  );
  const lines = distinct(models.map((model) => model.roc.what)).map((what) => `Line: ${what}`);
  const targets = distinct(bands.map((band) => band.target_words)).map((words) => `Band: for the ${words}`);
  const guarantees = distinct(bands.map((band) => band.guarantee)).map((words) => `Guarantee: ${words}`);
  return [...lines, ...targets, ...guarantees, ...said].map(ended);
}

// On a logarithmic axis a slanted line bends.
function bent(points, log = choice.log, least = lowest) {
  if (!log) return points;
  const found = [];
  points.forEach(([x, y], i) => {
    const [u, v] = points[i - 1] ?? [x, y];
    const start = Math.max(u, least);
    if (x > start && v !== y) {
      const parts = Math.ceil(24 * Math.log10(x / start));
      for (let k = 0; k < parts; k += 1) {
        const at = start * (x / start) ** (k / parts);
        found.push([at, v + ((at - u) / (x - u)) * (y - v)]);
      }
    }
    found.push([x, y]);
  });
  return found;
}

// Drawn lines are near the true ones; what is read comes from places where the numbers are exact.
const even = (x) => Math.abs(200 * x - Math.round(200 * x)) < 1e-6;
const leading = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]; // digits along a logarithmic axis
const round = (x) => x >= lowest && leading.includes(Number(x.toExponential().split("e")[0]));
const placeWord = (x) => (choice.log ? plain(x) : rate(x));
const start = Number(preset.fpr.toPrecision(6));
const stops = () => payload.places.filter((x) => x === start || (choice.log ? round(x) : even(x)));

function readAt(model, x) {
  const i = payload.places.indexOf(x);
  const band = bandNow(model);
  return {
    height: model.roc.tpr_at[i],
    cut: model.roc.threshold_at ? model.roc.threshold_at[i] : null,
    low: band?.lower_at[i],
    high: band?.upper_at[i],
  };
}

// ---- other coordinates ----

// Share of positives of a view: where the model will be used, or that of the future test set.
function shareNow(model) {
  if (noun !== "model" && !preset.asked.includes("prevalence")) return ownShare(model);
  const band = models.map(bandNow).find(Boolean);
  const [n_pos, n_neg] = (band?.target === "future" && band.future) || [];
  return n_pos ? n_pos / (n_pos + n_neg) : preset.prevalence;
}

// Pointwise limits at a false positive rate say nothing about other coordinates.
function viewBand(model) {
  const band = bandNow(model);
  return band?.coverage === "simultaneous" ? band : null;
}

function viewPlan(view) {
  const lines = shown().map(([model, k]) => {
    const band = inFocus(k) ? viewBand(model) : null;
    const p = shareNow(model);
    const [curve, upper, lower] = [[model.roc.fpr, model.roc.tpr], band && [band.fpr, band.upper], band && [band.fpr, band.lower]].map(
      (edge) => edge && viewed(view, pointsOf(...edge), p),
    );
    return { k, p, curve, upper, lower };
  });
  const read = (x) => {
    const found = lines.filter(({ k }) => inFocus(k)).map(({ k, curve, upper, lower }) => {
      const height = readPoints(curve, x);
      if (!upper) return { k, height, limits: "–" };
      const [low, high] = [readPoints(lower, x), readPoints(upper, x)];
      return { k, height, low, high, limits: range(low, high, twoDigits) };
    });
    const caption = `At ${view.reads} of ${percent(x)}`;
    const spoken = found.map(({ k, height, limits }) => `${models[k].name}: ${twoDigits(height)}, band ${limits}.`);
    return {
      caption, columns: [view.y, "Band"],
      rows: found.map(({ k, height, limits }) => [k, twoDigits(height), limits]),
      marks: found.map(({ k, height, low, high }) => ({ height, low, high, kind: look(k) })),
      sentence: `${caption}. ${spoken.join(" ")}`,
    };
  };
  const draw = (chart) => {
    for (const p of shares) chart.line("guess", view.guess(p));
    for (const { k, upper, lower } of lines) if (upper) chart.area(`band ${look(k)}`, upper, lower);
    for (const { k, curve } of lines) chart.line(`curve ${look(k)}${strength(k)}`, curve);
  };
  const places = Array.from({ length: 21 }, (_, i) => i / 20);
  const numbers = () => {
    const rows = lines.flatMap(({ k, curve, upper, lower }) =>
      places.map((x) => [k, rate(x), ...[curve, lower, upper].map((line) => (line ? twoDigits(readPoints(line, x)) : "–"))]),
    );
    return [`${view.words}, read off the lines`, [Noun, view.x, view.y, "Lower", "Upper"], rows];
  };
  const shares = distinct(lines.filter(({ k }) => inFocus(k)).map(({ p }) => p));
  const sharesSay = shares.length === 1 ? `at ${percent(shares[0])} positives` : `at each ${noun}'s own share of positives`;
  const [first, ...more] = bandSays();
  const none = models.some(viewBand) ? [] : ["no band: this one is for each false positive rate alone"];
  return {
    x: { from: 0, to: 1, name: view.x }, y: { from: 0, to: 1, name: view.y }, ratio: 0.9,
    says: [none.length ? view.words : first, ...none, ...(none.length ? [] : more), `${sharesSay}, taken as known`],
    draw, read, numbers,
  };
}

const twoDigits = (value) => value.toFixed(2);

function drawRoc(chart) {
  const from = choice.log ? lowest : 0;
  const guess = choice.log ? bent([[from, from], [1, 1]]) : [[0, 0], [1, 1]];
  chart.line("guess", guess);
  for (const [model, k] of shown()) {
    const band = bandNow(model);
    if (!band || !inFocus(k)) continue;
    chart.area(`band ${look(k)}`, bent(pointsOf(band.fpr, band.upper)), bent(pointsOf(band.fpr, band.lower)));
  }
  for (const [model, k] of shown()) {
    chart.line(`curve ${look(k)}${strength(k)}`, bent(pointsOf(model.roc.fpr, model.roc.tpr)));
  }
}

function readRoc(x) {
  const rows = [];
  const marks = [];
  const spoken = [];
  for (const [model, k] of shown().filter(([, k]) => inFocus(k))) {
    const { height, cut, low, high } = readAt(model, x);
    const limits = low === undefined ? "–" : range(low, high);
    rows.push([k, rate(height), limits, plain(cut)]);
    marks.push({ height, low, high, kind: look(k) });
    spoken.push(`${model.name}: true positive rate ${rate(height)}, band ${limits}, threshold ${plain(cut)}.`);
  }
  const caption = `At a false positive rate of ${placeWord(x)}`;
  return { caption, columns: ["TPR", "Band", "Threshold"], rows, marks, sentence: `${caption}. ${spoken.join(" ")}` };
}

function rocNumbers() {
  const rows = shown().flatMap(([model, k]) => {
    const step = choice.log ? 1 : 4; // every 0.02
    return stops()
      .filter((x, i) => i % step === 0)
      .map((x) => {
        const { height, cut, low, high } = readAt(model, x);
        return [k, placeWord(x), rate(height), rate(low), rate(high), plain(cut)];
      });
  });
  return [`${bandSays().join(", ")}. All numbers are in the JSON.`, [Noun, "FPR", "TPR", "Lower", "Upper", "Threshold"], rows];
}

function rocPlan() {
  if (choice.view !== "roc") return viewPlan(VIEWS[choice.view]);
  const x = choice.log
    ? { from: lowest, to: 1, log: true, name: "False positive rate (logarithmic)" }
    : { from: 0, to: 1, name: "False positive rate" };
  const y = { from: 0, to: 1, name: "True positive rate" };
  return { x, y, ratio: 0.9, says: bandSays(), draw: drawRoc, read: readRoc, numbers: rocNumbers, stops: stops() };
}

function startRoc() {
  const first = bandsOf(models[0]).find((band) => band.level === payload.level) ?? allBands[0];
  if (first) settle({ method: first.method, target: first.target, level: first.level });
  const chart = new Chart("roc-chart", rocPlan, start);
  const methods = distinct(allBands.map((band) => band.method));
  const kind = (method) => allBands.find((band) => band.method === method).coverage;
  const pick = byId("roc-method");
  pick.append(...methods.map((method) => make("option", { value: method }, `${method} (${kind(method)})`)));
  const change = (wish) => {
    settle(wish);
    update();
    redrawAll();
  };
  const words = { true: "True curve", future: "Future curve" };
  const targets = distinct(allBands.map((band) => band.target)).map((target) => [target, words[target]]);
  const levels = distinct(allBands.map((band) => band.level)).sort((a, b) => a - b);
  const setTarget = segments(byId("roc-target"), "target", targets, (target) => change({ target }));
  const setLevel = segments(byId("roc-level"), "level", levels.map((level) => [level, percent(level)]), (level) => change({ level }));
  const axes = [[false, "Linear"], [true, "Log, for low rates"]];
  const setAxis = segments(byId("roc-axis"), "axis", axes, (log) => change({ log }));
  const views = Object.entries(VIEWS).map(([name, { words: title }]) => [name, title]);
  const starts = { roc: start, pr: 0.8, gains: preset.capacity };
  const setView = segments(byId("roc-view"), "view", views, (view) => {
    chart.value = starts[view];
    change({ view });
  });
  const exists = (wish) => allBands.some((band) => fits(band, wish));
  pick.addEventListener("change", () => change({ method: pick.value }));
  function update() {
    const { method, target } = choice;
    pick.value = method;
    setTarget(target, (other) => exists({ method, target: other }));
    setLevel(choice.level, (level) => exists({ method, target, level }));
    setAxis(choice.log);
    setView(choice.view);
    byId("roc-axis-pick").hidden = choice.view !== "roc";
    byId("roc-caption").textContent = bandCaption();
    byId("roc-notes").replaceChildren(...bandNotes().map((note) => make("li", {}, note)));
  }
  byId("roc-bands").hidden = allBands.length === 0;
  update();
  return chart;
}

// With many models the reader chooses one or two whose bands and readings are shown.
function startFocus() {
  byId("focus-pick").hidden = models.length <= MANY;
  const picks = [byId("focus-first"), byId("focus-second")];
  const [first, second] = [...focus];
  picks.forEach((pick, i) => {
    const options = ranking.map((k) => make("option", { value: k }, models[k].name));
    if (i) options.unshift(make("option", { value: "" }, `no second ${noun}`));
    pick.append(...options);
    pick.value = String((i ? second : first) ?? "");
    pick.addEventListener("change", () => {
      focus.clear();
      for (const { value } of picks) if (value !== "") focus.add(Number(value));
      redrawAll();
    });
  });
}
