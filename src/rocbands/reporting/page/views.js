// What the chart of curves can show: ROC curves, and the same curves and bands in other coordinates.

const GRID = Array.from({ length: 101 }, (_, i) => i / 100); // abscissae of the payload's views
const FINE = 80; // pieces of a line across the square: straight lines may bend
const twoDigits = (value) => (value === null || value === undefined ? "–" : value.toFixed(2));
const fourDigits = (value) => Number(value.toPrecision(4));
const modelLegend = () => shown().map(([, k]) => [`curve ${look(k)}${strength(k)}`, models[k].name]);
const bandFile = (view) => [view, ...models.map(bandNow).filter(Boolean).slice(0, 1).map((band) => `${band.method}-${band.target}-${percent(band.level)}`)].join("-");

// ---- ROC and DET: limits at false positive rates ----

function drawRates(chart, log, least, height) {
  const line = (xs, ys) => bent(pointsOf(xs, ys.map(height)), log, least);
  for (const [model, k] of shown()) {
    const band = bandNow(model);
    if (band && inFocus(k)) chart.area(`band ${look(k)}`, line(band.fpr, band.upper), line(band.fpr, band.lower));
  }
  for (const [model, k] of shown()) chart.line(`curve ${look(k)}${strength(k)}`, line(model.roc.fpr, model.roc.tpr));
}

// What is read at a false positive rate; `side` turns true positive rates into what is shown, and limits in order.
function readRates(x, words, short, side) {
  const found = shown().filter(([, k]) => inFocus(k)).map(([model, k]) => {
    const { height, cut, low, high } = readAt(model, x);
    const [least, most] = low === undefined ? [] : [side(low), side(high)].sort((a, b) => a - b);
    return { k, height: side(height), low: least, high: most, cut, limits: low === undefined ? "–" : range(least, most) };
  });
  const caption = `At a false positive rate of ${choice.log || choice.view === "det" ? plain(x) : rate(x)}`;
  const spoken = found.map(({ k, height, limits, cut }) => `${models[k].name}: ${words} ${rate(height)}, band ${limits}, threshold ${cutText(cut)}.`);
  return {
    caption, columns: [short, "Band", "Threshold"],
    rows: found.map(({ k, height, limits, cut }) => [k, rate(height), limits, cutText(cut)]),
    marks: found.map(({ k, height, low, high }) => ({ height, low, high, kind: look(k) })),
    sentence: `${caption}. ${spoken.join(" ")}`,
  };
}

function rateNumbers(places, short, side) {
  const rows = shown().flatMap(([model, k]) =>
    places.map((x) => {
      const { height, cut, low, high } = readAt(model, x);
      const limits = low === undefined ? [null, null] : [side(low), side(high)].sort((a, b) => a - b);
      return [k, x, side(height), ...limits, cut];
    }),
  );
  const columns = [[Noun, modelName], ["FPR", plain], [short, rate], ["Lower", rate], ["Upper", rate], ["Threshold", cutText]];
  return { caption: bandSays().join(", "), columns, rows };
}

function rocPlan() {
  const same = (tpr) => tpr;
  const x = choice.log ? { from: lowest, to: 1, log: true, name: "False positive rate (logarithmic)" } : { from: 0, to: 1, name: "False positive rate" };
  return {
    x, y: { from: 0, to: 1, name: "True positive rate" }, ratio: 0.9,
    says: bandSays(), legend: modelLegend(), file: bandFile("roc"), stops: stops(choice.log),
    draw: (chart) => {
      chart.line("guess", bent([[x.from, x.from], [1, 1]], choice.log));
      drawRates(chart, choice.log, lowest, same);
    },
    read: (at) => readRates(at, "true positive rate", "TPR", same),
    numbers: () => rateNumbers(stops(choice.log), "TPR", same),
  };
}

// Missed positives against false alarms, both logarithmic: good models differ at low rates.
function detPlan() {
  const missed = (tpr) => Number((1 - tpr).toPrecision(6));
  const least = Math.max(1e-5, 10 ** Math.floor(Math.log10(1 / Math.max(10, ...models.map((model) => model.n_pos)))));
  return {
    x: { from: lowest, to: 1, log: true, name: "False positive rate (logarithmic)" },
    y: { from: least, to: 1, log: true, name: "Missed positives, FNR (logarithmic)" }, ratio: 0.9,
    says: bandSays(), legend: modelLegend(), file: bandFile("det"), stops: stops(true),
    draw: (chart) => {
      chart.line("guess", bent([[lowest, 1 - lowest], [1, 0]], true));
      drawRates(chart, true, lowest, missed);
    },
    read: (at) => readRates(at, "missed positives", "FNR", missed),
    numbers: () => rateNumbers(stops(true), "FNR", missed),
  };
}

// ---- precision-recall, gains and net benefit: these need the share of positives ----

// Groups and classes have different shares of positives.
const ownShares = noun !== "model" && !preset.asked.includes("prevalence");

// Share of positives: of the future test set, as given, or that of the rows.
function shareOf(model) {
  const band = bandNow(model);
  const [n_pos, n_neg] = (band?.target === "future" && band.future) || [];
  if (n_pos) return n_pos / (n_pos + n_neg);
  return ownShares ? ownShare(model) : preset.prevalence;
}

function shareSays(name) {
  const [model] = shown().map(([one]) => one);
  if (!model) return [];
  const band = viewBand(model, name);
  const at = ownShares ? `at each ${noun}'s share of positives` : `at ${percent(Number(shareOf(model).toPrecision(3)))} positives`;
  if (band?.views?.[name]) return [`${at}, as in these rows; the band allows for the error of that share`];
  if (band?.target === "future") return [`${at}, those of the future test set`];
  return [preset.asked.includes("prevalence") ? `${at}, as given` : `${at}, taken as known`];
}

// Pointwise limits at a false positive rate say nothing about other coordinates; net benefit has limits at one level.
function viewBand(model, name) {
  const band = bandNow(model);
  return band?.coverage === "simultaneous" && band.views?.[name] !== null ? band : null;
}

function noBand(name) {
  const band = models.map(bandNow).find(Boolean);
  if (!band) return "no band of this kind for these data";
  if (band.coverage !== "simultaneous") return "no band: this one is for each false positive rate alone";
  return `limits are for ${percent(payload.level)} confidence only`;
}

// Points of a rising line in a view. An edge that ends below 1, or begins above 0, goes on upright.
function viewed(place, points, p) {
  const whole = [[0, 0], ...points, [1, 1]];
  const found = [];
  whole.forEach(([x, y], i) => {
    const [u, v] = whole[i - 1] ?? [x, y];
    const parts = Math.max(1, Math.ceil(FINE * Math.max(Math.abs(x - u), Math.abs(y - v))));
    for (let k = 1; k <= parts; k += 1) {
      found.push(place([u + ((x - u) * k) / parts, v + ((y - v) * k) / parts], p));
    }
  });
  return found;
}

// Height at x; where the line is upright, the first that it comes to.
function readPoints(points, x) {
  const i = points.findIndex(([at]) => at >= x - 1e-9);
  if (i <= 0) return points.at(i)[1];
  const [[u, v], [s, t]] = [points[i - 1], points[i]];
  return s > u ? v + ((x - u) / (s - u)) * (t - v) : t;
}

const placePrecision = ([fpr, tpr], p) => [tpr, tpr ? (p * tpr) / (p * tpr + (1 - p) * fpr) : fpr ? 0 : 1];
const placeGains = ([fpr, tpr], p) => [p * tpr + (1 - p) * fpr, tpr];
const lineOf = (place) => (points, p) => viewed(place, points, p);

// The best that any point of a line gains at each threshold probability.
function netBenefits(points, p) {
  return GRID.slice(0, -1).map((t) => [t, Math.max(0, ...points.map(([fpr, tpr]) => p * tpr - (1 - p) * fpr * (t / (1 - t))))]);
}

// Limits of a view are in the payload where the share is estimated; else the band itself is mapped.
function sharePlan({ name, words, reads, x, y, line, guesses, digits }) {
  const lines = shown().map(([model, k]) => {
    const band = inFocus(k) ? viewBand(model, name) : null;
    const p = shareOf(model);
    const made = band?.views?.[name];
    const edge = (side) => band && (made ? pointsOf(GRID.slice(0, made[side].length), made[side]) : line(pointsOf(band.fpr, band[side]), p));
    return { k, curve: line(pointsOf(model.roc.fpr, model.roc.tpr), p), lower: edge("lower"), upper: edge("upper") };
  });
  const read = (at) => {
    const found = lines.filter(({ k }) => inFocus(k)).map(({ k, curve, upper, lower }) => {
      const height = readPoints(curve, at);
      if (!upper) return { k, height, limits: "–" };
      const [low, high] = [readPoints(lower, at), readPoints(upper, at)];
      return { k, height, low, high, limits: range(low, high, digits) };
    });
    const caption = `At ${reads} of ${percent(at)}`;
    const spoken = found.map(({ k, height, limits }) => `${models[k].name}: ${digits(height)}, band ${limits}.`);
    return {
      caption, columns: [y.short ?? y.name, "Band"],
      rows: found.map(({ k, height, limits }) => [k, digits(height), limits]),
      marks: found.map(({ k, height, low, high }) => ({ height, low, high, kind: look(k) })),
      sentence: `${caption}. ${spoken.join(" ")}`,
    };
  };
  const places = GRID.filter((at) => at <= x.to);
  const columns = [[Noun, modelName], [x.short ?? x.name, percent], [y.short ?? y.name, digits], ["Lower", digits], ["Upper", digits]];
  const numbers = () => ({
    caption: words, columns,
    rows: lines.flatMap(({ k, curve, upper, lower }) => places.map((at) => [k, at, fourDigits(readPoints(curve, at)), ...[lower, upper].map((edge) => edge && readPoints(edge, at))])),
  });
  const [first, ...more] = bandSays();
  const some = models.some((model) => viewBand(model, name));
  return {
    x, y, ratio: 0.9, stops: places, read, numbers, legend: modelLegend(), file: bandFile(name),
    says: [some ? first : words, ...(some ? more : [noBand(name)]), ...shareSays(name)],
    draw: (chart) => {
      const shares = distinct(shown().filter(([, k]) => inFocus(k)).map(([model]) => shareOf(model)));
      for (const points of shares.flatMap(guesses)) chart.line("guess", points);
      for (const { k, upper, lower } of lines) if (upper) chart.area(`band ${look(k)}`, upper, lower);
      for (const { k, curve } of lines) chart.line(`curve ${look(k)}${strength(k)}`, curve);
    },
  };
}

const precisionPlan = () => sharePlan({
  name: "pr", words: "Precision-recall", reads: "a recall", digits: twoDigits, line: lineOf(placePrecision),
  x: { from: 0, to: 1, name: "Recall" }, y: { from: 0, to: 1, name: "Precision" },
  guesses: (p) => [[[0, p], [1, p]]],
});

const gainsPlan = () => sharePlan({
  name: "gains", words: "Gains", reads: "a share called positive", digits: twoDigits, line: lineOf(placeGains),
  x: { from: 0, to: 1, name: "Share of the cases called positive", short: "Share called positive" },
  y: { from: 0, to: 1, name: "Share of the positives found", short: "Found" },
  guesses: () => [[[0, 0], [1, 1]]],
});

function benefitPlan() {
  const p = Math.max(...shown().map(([model]) => shareOf(model)), 1e-6);
  const treatAll = (share) => GRID.slice(0, -1).map((t) => [t, share - ((1 - share) * t) / (1 - t)]).filter(([, gain]) => gain > -0.1 * p);
  const plan = sharePlan({
    name: "net-benefit", words: "Net benefit", reads: "a threshold probability", digits: rate, line: netBenefits,
    x: { from: 0, to: 0.99, name: "Threshold probability" }, y: { from: -0.1 * p, to: 1.08 * p, name: "Net benefit" },
    guesses: (share) => [[[0, 0], [0.99, 0]], treatAll(share)],
  });
  const draw = (chart) => {
    const { x, box, layer } = chart.plot;
    shown().filter(([, k]) => inFocus(k)).forEach(([model, k], i) => {
      const [from, to] = viewBand(model, "net-benefit")?.views?.["net-benefit"]?.better ?? [];
      if (from !== undefined) layer.append(shape("rect", { class: `better ${look(k)}`, x: x(from), y: box.bottom - 9 - 11 * i, width: Math.max(2, x(to) - x(from)), height: 9 }));
    });
    plan.draw(chart);
  };
  return { ...plan, draw, says: [...plan.says, "dotted: treating all, and treating none (0)"] };
}

// Words of each view: for its button, as the heading, and as help.
const VIEWS = {
  roc: { words: "ROC", plan: rocPlan, start: Number(preset.fpr.toPrecision(6)) },
  pr: {
    words: "Precision-recall", plan: precisionPlan, start: 0.8, title: "Precision-recall curves",
    lead: "How many of the cases called positive are positive (precision), for each share of the positives that is found (recall). Dotted: calling cases at random.",
  },
  gains: {
    words: "Gains", plan: gainsPlan, start: Math.max(0.01, preset.capacity), title: "Gains curves",
    lead: "How many positives are found, for each share of all cases that is called positive. Dotted: calling cases at random.",
  },
  det: {
    words: "DET", plan: detPlan, start: Number(preset.fpr.toPrecision(6)), title: "DET curves",
    lead: "How many positives are missed, for each rate of false alarms; lower is better. Both axes are logarithmic, so that low rates have room.",
  },
  "net-benefit": {
    words: "Net benefit", plan: benefitPlan, start: Math.min(0.95, Math.max(0.01, Number(preset.prevalence.toFixed(2)))), title: "Net benefit of the best threshold",
    lead: "What the model gains for somebody who acts on a case if its chance of being positive exceeds the threshold probability: positives found per case, less false alarms times the odds of that probability. Each value is that of the best threshold of the score.",
    hint: "Bars at the foot, if any: where the model, by its colour, is better than treating all and than treating none, with confidence for the whole range.",
  },
};
