// What errors cost: the reader says what they cost and how rare positives are.

const wish = { miss: 1, alarm: 1, prevalence: 0.5 };
const PLACES = Array.from({ length: 401 }, (_, i) => i / 400); // along w
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

// What the best threshold costs on rows that did not choose it; null where nobody looked.
function judgedAt({ w, cost, low, high }, at) {
  if (!low || at < w[0] || at > w.at(-1)) return null;
  const [middle, least, most] = [cost, low, high].map((ys) => heightAt(w, ys, at));
  return { cost: middle, low: least, high: most };
}

const money = (value) => (Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(3)).toString());

function costRows() {
  const w = weight();
  const unit = perThousand();
  return visibleCosts().map(([model, k]) => ({
    k, name: model.name, judged: judgedAt(model.cost, w), unit, ...bestPoint(model.cost, w),
  }));
}

function verdict(rows) {
  if (!rows.length) return "No model is shown.";
  const w = weight();
  const [best, next] = [...rows].sort((a, b) => a.cost - b.cost);
  const idle = Math.min(w, 1 - w);
  const idleWords = w <= 0.5 ? "calling every case negative" : "calling every case positive";
  if (best.cost >= idle - 1e-12) {
    return `At these costs no model beats ${idleWords}, which costs ${money(idle * best.unit)} per 1,000 cases.`;
  }
  const start = `${best.name} at threshold ${plain(best.threshold)} costs ${money(best.cost * best.unit)} per 1,000 cases on these rows`;
  const idleCost = `; ${idleWords} would cost ${money(idle * best.unit)}.`;
  if (!next) return start + idleCost;
  const gap = (next.cost - best.cost) * best.unit;
  if (gap <= 1e-9 * best.unit) return `${start}, as does ${next.name}${idleCost}`;
  return `${start}, ${money(gap)} less than ${next.name}${idleCost}${doubt(best, next)}`;
}

function doubt(best, next) {
  if (!best.judged || !next.judged) return " There are no intervals here, so another test set may turn this around.";
  return best.judged.high >= next.judged.low ? " Their intervals overlap, so another test set may turn this around." : "";
}

const alarms = (ratio) => (ratio === 1 ? "a false alarm" : `${plain(ratio)} false alarms`);

function showCost() {
  const rows = costRows();
  byId("cost-answer").textContent = verdict(rows);
  byId("cost-weight").textContent =
    `Weight of missed positives w = ${rate(weight())}: a missed positive costs as much as ${alarms(wish.miss / wish.alarm)}, and ${percent(wish.prevalence)} of cases are positive.`;
  const lines = rows.map((row) => [
    row.k,
    plain(row.threshold),
    rate(row.fpr),
    rate(row.tpr),
    money(row.cost * row.unit),
    row.judged ? money(row.judged.cost * row.unit) : "–",
    row.judged ? range(row.judged.low * row.unit, row.judged.high * row.unit, money) : "–",
  ]);
  const columns = ["Threshold", "FPR", "TPR", "Cost here", "Cost judged", "Interval"];
  byId("cost-table").replaceChildren(narrowTable("", columns, lines));
}

const visibleCosts = () => costly.filter(([, k]) => !hidden.has(k));

function drawCost(chart) {
  chart.line("guess", [[0, 0], [0.5, 0.5], [1, 0]]);
  const judged = visibleCosts().filter(([{ cost }]) => cost.low);
  for (const [{ cost }, k] of judged) {
    chart.area(`band ${look(k)}`, pointsOf(cost.w, cost.high), pointsOf(cost.w, cost.low));
    chart.line(`curve faint ${look(k)}`, pointsOf(cost.w, cost.cost));
  }
  for (const [{ cost }, k] of visibleCosts()) {
    chart.line(`curve ${look(k)}`, PLACES.map((at) => [at, bestPoint(cost, at).cost]));
  }
  const { x, box, layer } = chart.plot;
  layer.append(shape("path", { class: "here", d: `M${x(weight())} ${box.top}V${box.bottom}` }));
}

function readCost(w) {
  const rows = [];
  const marks = [];
  const spoken = [];
  for (const [{ cost, name }, k] of visibleCosts()) {
    const best = bestPoint(cost, w);
    const judged = judgedAt(cost, w);
    const words = judged ? range(judged.low, judged.high) : "–";
    rows.push([k, rate(best.cost), words, plain(best.threshold)]);
    marks.push({ height: best.cost, low: judged?.low, high: judged?.high, kind: look(k) });
    spoken.push(`${name}: cost ${rate(best.cost)}, interval ${words}, threshold ${plain(best.threshold)}.`);
  }
  const caption = `At w = ${rate(w)}`;
  return { caption, columns: ["Cost here", "Interval", "Threshold"], rows, marks, sentence: `${caption}. ${spoken.join(" ")}` };
}

function costNumbers() {
  const rows = visibleCosts().flatMap(([{ cost }, k]) =>
    (cost.w ?? Array.from({ length: 99 }, (_, i) => (i + 1) / 100)).map((w) => {
      const best = bestPoint(cost, w);
      const judged = judgedAt(cost, w);
      return [k, rate(w), plain(best.threshold), rate(best.cost), rate(judged?.cost), rate(judged?.low), rate(judged?.high)];
    }),
  );
  return ["Normalised cost along w", ["Model", "w", "Threshold", "Cost here", "Judged", "Lower", "Upper"], rows];
}

function costSays() {
  if (!costly.some(([{ cost }]) => cost.low)) return "without intervals";
  return `shaded: ${percent(payload.level)} intervals, each w alone (pointwise)`;
}

function costPlan() {
  const best = ({ cost }) => PLACES.map((w) => bestPoint(cost, w).cost);
  const highest = Math.max(0.02, ...costly.flatMap(([model]) => [...(model.cost.high ?? []), ...best(model)]));
  return {
    x: { from: 0, to: 1, name: "Weight w of missed positives" },
    y: { from: 0, to: Math.max(highest * 1.15, 0.05), name: "Normalised cost" },
    ratio: 0.62,
    says: ["Expected cost at the best threshold", costSays()],
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
  // To begin with, both classes weigh about the same.
  const odds = Number(((1 - wish.prevalence) / wish.prevalence).toPrecision(1));
  dial("miss", [0.01, 1e5], Math.log10, power, changed)(Math.max(1, odds));
  dial("alarm", [0.01, 1e5], Math.log10, power, changed)(1);
  dial("prevalence", [1e-5, 0.99], logit, (v) => 1 / (1 + Math.exp(-v)), changed)(wish.prevalence);
  redraws.push(showCost);
}
