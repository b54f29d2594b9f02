// The reader's choice of a band: method, true or future curve, level, and a logarithmic axis.

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

const twoDigitPercent = (value) => percent(Number(value.toPrecision(value > 0.98 ? 3 : 2)));

// How often such bands contained the whole curve in simulations, at the closest sizes and level, and where they failed.
function coverageWords() {
  const band = models.map(bandNow).find(Boolean);
  if (!band) return "";
  const all = payload.trust.measured.filter((row) => row.method === band.method && row.target === band.target);
  const gap = (row) => Math.abs(row.level - band.own_level);
  const nearest = Math.min(...all.map(gap));
  const [row, ...others] = all.filter((one) => gap(one) === nearest);
  const which = `The ${percent(band.level)} ${band.method} band shown above (${curveWords(band)})`;
  if (!row) return `${which}: its coverage has not been measured.`;
  const worst = others.reduce((a, b) => (b.coverage_low < a.coverage_low - 0.05 ? b : a), row);
  const failed = worst === row ? "" : ` At worst ${twoDigitPercent(worst.coverage_low)}: ${ended(worst.where)}`;
  const sizes = row.n_pos === null ? count(row.rows) : `${count(row.n_pos)} + ${count(row.n_neg)}`;
  const level = row.level === band.own_level ? "" : ` and ${percent(row.level)} bands`;
  const found = range(row.coverage_low, row.coverage_high, twoDigitPercent);
  return `${which} contained the whole curve in ${found} of simulated test sets; closest measured: ${sizes} cases${level}, ${ended(row.where)}${failed}`;
}

function bandCaption() {
  const band = models.map(bandNow).find(Boolean);
  if (!band) return "There is no band of this kind for these data.";
  const curve = band.target === "future" ? "curve of such a future test set" : "true curve";
  const meaning =
    band.coverage === "simultaneous"
      ? `${noun === "model" ? "A band like this is" : "Bands like these are"} made to contain the entire ${curve}${noun === "model" ? "" : `, for all ${nouns},`} in ${percent(band.level)} of test sets`
      : `At any single false positive rate, a band like this is made to contain the ${curve} in ${percent(band.level)} of test sets; it contains the whole curve less often`;
  const missing = shown().filter(([model, k]) => inFocus(k) && !bandNow(model)).map(([model]) => model.name);
  return [meaning, ...(missing.length ? [`No such band for ${missing.join(", ")}`] : [])].map(ended).join(" ");
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
const stops = (log) => payload.places.filter((x) => x === Number(preset.fpr.toPrecision(6)) || (log ? round(x) : even(x)));

function readAt(model, x) {
  const i = payload.places.indexOf(x);
  const band = bandNow(model);
  return {
    height: model.roc.tpr_at[i],
    cut: cutOf(model.roc, i, "threshold_at"),
    low: band?.lower_at[i],
    high: band?.upper_at[i],
  };
}

