// What errors cost: the reader enters what they cost and how common positives are.

const wish = { miss: preset.c_fn ?? 1, alarm: preset.c_fp ?? 1, prevalence: preset.prevalence };
let entered = preset.c_fn !== null; // nothing is said about costs before they are known
const PLACES = Array.from({ length: 401 }, (_, i) => i / 400); // along w
const costly = models.map((model, k) => [model, k]).filter(([model]) => model.cost);

const weight = () => {
  const { miss, alarm, prevalence } = wish;
  return (miss * prevalence) / (miss * prevalence + alarm * (1 - prevalence));
};
// From normalised cost to the cost of a thousand cases.
const perThousand = () => 1000 * (wish.miss * wish.prevalence + wish.alarm * (1 - wish.prevalence));

// The cheapest point of a model's hull: the best that any threshold achieves on all rows.
function bestPoint({ hull }, w) {
  let best = { cost: Infinity };
  hull.fpr.forEach((fpr, i) => {
    const cost = w * (1 - hull.tpr[i]) + (1 - w) * fpr;
    if (cost < best.cost) best = { cost, threshold: cutOf(hull, i) };
  });
  return best;
}

// What the threshold chosen by one half of the rows costs on the other half; null where that was not measured.
function judgedAt(section, at) {
  const { w, cost, lower, upper } = section;
  if (!lower || at < w[0] || at > w.at(-1)) return null;
  const [middle, least, most] = [cost, lower, upper].map((ys) => heightAt(w, ys, at));
  const next = Math.min(w.length - 1, upTo(w, at));
  const near = next > 0 && at - w[next - 1] <= w[next] - at ? next - 1 : next;
  return { cost: middle, low: least, high: most, threshold: cutOf(section, near) };
}

const costAt = (cost, w) => judgedAt(cost, w) ?? bestPoint(cost, w);

// Cost of one model minus that of another on the same rows, with its interval; null if not measured.
function gapAt(first, second, w) {
  const found = payload.cost_differences.find((one) =>
    [[first, second], [second, first]].some(([a, b]) => one.first === a && one.second === b),
  );
  const ws = models[numberOf(first)].cost.w;
  if (!found || w < ws[0] || w > ws.at(-1)) return null;
  const [gap, low, high] = [found.difference, found.lower, found.upper].map((ys) => heightAt(ws, ys, w));
  return found.first === first ? { gap, low, high } : { gap: -gap, low: -high, high: -low };
}

const money = (value) => (Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(3)).toString()).replace("-", "−");

function costRows() {
  const w = weight();
  const unit = perThousand();
  return visibleCosts().map(([model, k]) => ({ k, name: model.name, unit, ...costAt(model.cost, w) }));
}

function verdict(rows) {
  if (!rows.length) return `No ${noun} is shown.`;
  const w = weight();
  const level = percent(payload.level);
  const [best, next] = [...rows].sort((a, b) => a.cost - b.cost);
  const { unit } = best;
  const idle = Math.min(w, 1 - w);
  const idleWords = w <= 0.5 ? "calling every case negative" : "calling every case positive";
  if (best.cost >= idle - 1e-12) {
    return `At these costs no ${noun} beats ${idleWords}, which costs ${money(idle * unit)} per 1,000 cases.`;
  }
  const interval = ({ low, high }) => `${level} interval ${range(low * unit, high * unit, money)}`;
  const how = best.low === undefined ? "on the rows that chose the threshold, which is optimistic" : `(${interval(best)})`;
  const start = `${best.name} at threshold ${cutText(best.threshold)} costs ${money(best.cost * unit)} per 1,000 cases ${how}; ${idleWords} would cost ${money(idle * unit)}.`;
  const gap = next ? gapAt(next.name, best.name, w) : null;
  if (!gap) return start;
  if (Math.abs(gap.gap) < 1e-9) gap.gap = 0; // what rounding leaves of equal costs
  const settled = gap.low > 0 ? `${next.name} costs ${money(gap.gap * unit)} more` : `The difference from ${next.name}, ${money(gap.gap * unit)}, is not significant`;
  return `${start} ${settled} (${interval(gap)} of the difference on the same rows, at these costs alone).`;
}

const alarms = (ratio) => (ratio === 1 ? "a false alarm" : `${plain(ratio)} false alarms`);

function showCost() {
  byId("cost-found").hidden = !entered;
  byId("cost-ask").hidden = entered;
  if (!entered) return;
  const rows = costRows();
  byId("cost-answer").textContent = verdict(rows);
  byId("cost-weight").textContent =
    `Weight of missed positives w = ${rate(weight())}: a missed positive costs as much as ${alarms(wish.miss / wish.alarm)}, and ${percent(wish.prevalence)} of cases are positive.`;
  const lines = [...rows].sort((a, b) => a.cost - b.cost).map((row) => [
    row.k,
    cutText(row.threshold),
    money(row.cost * row.unit),
    row.low === undefined ? "–" : range(row.low * row.unit, row.high * row.unit, money),
  ]);
  const columns = [Noun, "Threshold", "Cost", `${percent(payload.level)} interval`];
  byId("cost-table").replaceChildren(table("", columns, lines));
}

const visibleCosts = () => costly.filter(([, k]) => !hidden.has(k));

function drawCost(chart) {
  chart.line("guess", [[0, 0], [0.5, 0.5], [1, 0]]);
  const judged = visibleCosts().filter(([{ cost }]) => cost.lower);
  for (const [{ cost }, k] of judged) {
    if (inFocus(k)) chart.area(`band ${look(k)}`, pointsOf(cost.w, cost.upper), pointsOf(cost.w, cost.lower));
    chart.line(`curve ${look(k)}${strength(k)}`, pointsOf(cost.w, cost.cost));
  }
  for (const [{ cost }, k] of visibleCosts()) {
    const kind = cost.lower ? "curve hull" : `curve${strength(k)}`;
    if (inFocus(k) || !cost.lower) chart.line(`${kind} ${look(k)}`, PLACES.map((at) => [at, bestPoint(cost, at).cost]));
  }
  const { x, box, layer } = chart.plot;
  if (entered) layer.append(shape("path", { class: "here", d: `M${x(weight())} ${box.top}V${box.bottom}` }));
}

function readCost(w) {
  const rows = [];
  const marks = [];
  const spoken = [];
  for (const [{ cost, name }, k] of visibleCosts().filter(([, k]) => inFocus(k))) {
    const { cost: height, low, high, threshold } = costAt(cost, w);
    const words = low === undefined ? "–" : range(low, high);
    rows.push([k, rate(height), words, cutText(threshold)]);
    marks.push({ height, low, high, kind: look(k) });
    spoken.push(`${name}: cost ${rate(height)}, interval ${words}, threshold ${cutText(threshold)}.`);
  }
  const caption = `At w = ${rate(w)}`;
  return { caption, columns: ["Cost", "Interval", "Threshold"], rows, marks, sentence: `${caption}. ${spoken.join(" ")}` };
}

function costNumbers() {
  const rows = visibleCosts().flatMap(([{ cost }, k]) =>
    (cost.w ?? Array.from({ length: 99 }, (_, i) => (i + 1) / 100)).map((w) => {
      const judged = judgedAt(cost, w);
      return [k, w, costAt(cost, w).threshold, judged?.cost, judged?.low, judged?.high, bestPoint(cost, w).cost];
    }),
  );
  const columns = [[Noun, modelName], ["w", rate], ["Threshold", cutText], ["Cost", rate], ["Lower", rate], ["Upper", rate], ["Optimistic", rate]];
  return { caption: "Normalised cost along w", columns, rows };
}

function costSays() {
  if (!costly.some(([{ cost }]) => cost.lower)) return "without intervals";
  return `shaded: ${percent(payload.level)} intervals, each w alone (pointwise)`;
}

function costPlan() {
  const best = ({ cost }) => PLACES.map((w) => bestPoint(cost, w).cost);
  const highest = Math.max(0.02, ...costly.flatMap(([model]) => [...(model.cost.upper ?? []), ...best(model)]));
  return {
    x: { from: 0, to: 1, name: "Weight w of missed positives" },
    y: { from: 0, to: Math.max(highest * 1.15, 0.05), name: "Normalised cost" },
    ratio: 0.62,
    legend: modelLegend(), file: "cost",
    says: ["Expected cost at the chosen threshold", costSays()],
    draw: drawCost, read: readCost, numbers: costNumbers,
  };
}

// A slider and a number that say the same; `way` and `back` lead from value to slider and back.
// The number stays empty until it is known.
function dial(name, limits, way, back, changed, known) {
  const slider = byId(`cost-${name}`);
  const field = byId(`cost-${name}-number`);
  const [from, to] = limits;
  Object.assign(slider, { min: way(from), max: way(to), step: "any" });
  const words = (value) => String(Number(value.toPrecision(3)));
  const show = (source) => {
    const value = wish[name];
    if (source !== slider) slider.value = way(Math.min(to, Math.max(from, value)));
    if (source !== field) field.value = known() ? words(value) : "";
    slider.classList.toggle("unset", !known());
    slider.setAttribute("aria-valuetext", known() ? words(value) : "not entered");
  };
  const set = (value, source) => {
    wish[name] = value;
    changed(name);
    show(source);
  };
  show();
  slider.addEventListener("input", () => set(Number(back(Number(slider.value)).toPrecision(3)), slider));
  slider.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const place = Number(slider.value) + (step * (slider.max - slider.min)) / 100;
    set(Number(back(Math.min(slider.max, Math.max(slider.min, place))).toPrecision(3)));
  });
  field.addEventListener("input", () => {
    const value = Number(field.value);
    const fine = field.value !== "" && value >= Number(field.min) && value <= Number(field.max);
    field.setAttribute("aria-invalid", String(!fine));
    if (fine) set(value, field);
  });
  return show;
}

function startCost() {
  if (!costly.length || !byId("cost-chart")) return;
  const chart = new Chart("cost-chart", costPlan, entered ? weight() : 0.5);
  const changed = (name) => {
    if (!entered && name !== "prevalence") {
      entered = true;
      for (const show of costs) show();
    }
    if (entered) chart.value = weight();
    showCost();
    chart.draw();
  };
  const logit = (p) => Math.log(p / (1 - p));
  const power = (v) => 10 ** v;
  const costs = ["miss", "alarm"].map((name) => dial(name, [0.01, 1e5], Math.log10, power, changed, () => entered));
  dial("prevalence", [1e-5, 0.99], logit, (v) => 1 / (1 + Math.exp(-v)), changed, () => true);
  showCost();
  redraws.push(showCost);
}
