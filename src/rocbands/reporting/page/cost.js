// What errors cost: the reader says what they cost and how rare positives are.

const wish = { miss: 1, alarm: 1, prevalence: 0.5 };
const costly = models.map((model, k) => [model, k]).filter(([model]) => model.cost);

const weight = () => {
  const { miss, alarm, prevalence } = wish;
  return (miss * prevalence) / (miss * prevalence + alarm * (1 - prevalence));
};
// From normalised cost to the cost of a thousand cases.
const perThousand = () => 1000 * (wish.miss * wish.prevalence + wish.alarm * (1 - wish.prevalence));

// The cheapest point of a model's hull.
function bestPoint({ hull }, w) {
  let best = { cost: Infinity };
  hull.fpr.forEach((fpr, i) => {
    const cost = w * (1 - hull.tpr[i]) + (1 - w) * fpr;
    if (cost < best.cost) best = { cost, fpr, tpr: hull.tpr[i], threshold: hull.threshold[i] };
  });
  return best;
}

function limitsAt({ w, low, high }, at) {
  if (!low || !high) return null;
  return [heightAt(w, low, at), heightAt(w, high, at)];
}

const money = (value) => (Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(3)).toString());

function costRows() {
  const w = weight();
  const unit = perThousand();
  return costly
    .filter(([, k]) => !hidden.has(k))
    .map(([model, k]) => ({ k, name: model.name, limits: limitsAt(model.cost, w), unit, ...bestPoint(model.cost, w) }));
}

function verdict(rows) {
  if (!rows.length) return "No model is shown.";
  const w = weight();
  const [best, next] = rows.toSorted((a, b) => a.cost - b.cost);
  const idle = Math.min(w, 1 - w);
  const idleWords = w <= 0.5 ? "calling every case negative" : "calling every case positive";
  if (best.cost >= idle - 1e-12) {
    return `At these costs no model beats ${idleWords}, which costs ${money(idle * best.unit)} per 1,000 cases.`;
  }
  const start = `${best.name} at threshold ${plain(best.threshold)} costs ${money(best.cost * best.unit)} per 1,000 cases`;
  const idleCost = `; ${idleWords} would cost ${money(idle * best.unit)}.`;
  if (!next) return start + idleCost;
  const gap = (next.cost - best.cost) * best.unit;
  if (gap <= 1e-9 * best.unit) return `${start}, as does ${next.name}${idleCost}`;
  return `${start}, ${money(gap)} less than ${next.name}${idleCost}${doubt(best, next)}`;
}

function doubt(best, next) {
  if (!best.limits || !next.limits) return "";
  return best.limits[1] >= next.limits[0] ? " Their intervals overlap, so another test set may turn this around." : "";
}

const alarms = (ratio) => (ratio === 1 ? "a false alarm" : `${plain(ratio)} false alarms`);

function showCost() {
  const rows = costRows();
  byId("cost-answer").textContent = verdict(rows);
  byId("cost-weight").textContent =
    `Weight of missed positives w = ${rate(weight())}: a missed positive costs as much as ${alarms(wish.miss / wish.alarm)}, and ${percent(wish.prevalence)} of cases are positive.`;
  const lines = rows.map((row) => [
    row.k,
    money(row.cost * row.unit),
    row.limits ? range(row.limits[0] * row.unit, row.limits[1] * row.unit, money) : "–",
    plain(row.threshold),
    rate(row.fpr),
    rate(row.tpr),
  ]);
  const columns = ["Model", "Cost per 1,000", "Interval", "Threshold", "FPR", "TPR"];
  byId("cost-table").replaceChildren(table("", columns, lines));
}

function drawCost(chart) {
  chart.line("guess", [[0, 0], [0.5, 0.5], [1, 0]]);
  const visible = costly.filter(([, k]) => !hidden.has(k));
  for (const [{ cost }, k] of visible) {
    if (cost.low) chart.area(`band ${look(k)}`, pointsOf(cost.w, cost.high), pointsOf(cost.w, cost.low));
  }
  for (const [{ cost }, k] of visible) {
    const w = Array.from({ length: 201 }, (_, i) => i / 200);
    chart.line(`curve ${look(k)}`, w.map((at) => [at, bestPoint(cost, at).cost]));
  }
  const { x, box, layer } = chart.plot;
  layer.append(shape("path", { class: "here", d: `M${x(weight())} ${box.top}V${box.bottom}` }));
}

function readCost(w) {
  const rows = [];
  const marks = [];
  const spoken = [];
  for (const [{ cost, name }, k] of costly.filter(([, i]) => !hidden.has(i))) {
    const best = bestPoint(cost, w);
    const limits = limitsAt(cost, w);
    const words = limits ? range(...limits) : "–";
    rows.push([k, rate(best.cost), words, plain(best.threshold)]);
    marks.push({ height: best.cost, low: limits?.[0], high: limits?.[1], kind: look(k) });
    spoken.push(`${name}: cost ${rate(best.cost)}, interval ${words}, threshold ${plain(best.threshold)}.`);
  }
  const caption = `At w = ${rate(w)}`;
  return { caption, columns: ["Cost", "Interval", "Threshold"], rows, marks, sentence: `${caption}. ${spoken.join(" ")}` };
}

function costNumbers() {
  const rows = costly
    .filter(([, k]) => !hidden.has(k))
    .flatMap(([{ cost }, k]) =>
      cost.w.map((w, i) => [k, rate(w), rate(bestPoint(cost, w).cost), rate(cost.low?.[i]), rate(cost.high?.[i]), plain(bestPoint(cost, w).threshold)]),
    );
  return ["Normalised cost along w", ["Model", "w", "Cost", "Lower", "Upper", "Threshold"], rows];
}

function costPlan() {
  const highest = Math.max(0.02, ...costly.flatMap(([{ cost }]) => [...(cost.high ?? []), ...cost.cost]));
  return {
    x: { from: 0, to: 1, name: "Weight w of missed positives" },
    y: { from: 0, to: Math.min(1, Math.max(highest * 1.15, 0.05)), name: "Normalised cost" },
    ratio: 0.62,
    says: ["Expected cost at the best threshold", `shaded: ${percent(payload.level)} intervals, each w alone (pointwise)`],
    draw: drawCost, read: readCost, numbers: costNumbers,
  };
}

// A slider and a number that say the same; `way` and `back` lead from value to slider and back.
function dial(name, limits, way, back, changed) {
  const slider = byId(`cost-${name}`);
  const field = byId(`cost-${name}-number`);
  const [from, to] = limits;
  Object.assign(slider, { min: way(from), max: way(to), step: "any" });
  const words = (value) => String(Number(value.toPrecision(3)));
  const set = (value, source) => {
    wish[name] = value;
    if (source !== slider) slider.value = way(Math.min(to, Math.max(from, value)));
    if (source !== field) field.value = words(value);
    slider.setAttribute("aria-valuetext", words(value));
    changed();
  };
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
  return set;
}

function startCost() {
  if (!costly.length || !byId("cost-chart")) return;
  wish.prevalence = Math.min(0.999999, Math.max(1e-6, payload.data.prevalence));
  const chart = new Chart("cost-chart", costPlan, weight());
  const changed = () => {
    chart.value = weight();
    showCost();
    chart.draw();
  };
  const logit = (p) => Math.log(p / (1 - p));
  const power = (v) => 10 ** v;
  dial("miss", [0.01, 1e5], Math.log10, power, changed)(1);
  dial("alarm", [0.01, 1e5], Math.log10, power, changed)(1);
  dial("prevalence", [1e-5, 0.99], logit, (v) => 1 / (1 + Math.exp(-v)), changed)(wish.prevalence);
  redraws.push(showCost);
}
