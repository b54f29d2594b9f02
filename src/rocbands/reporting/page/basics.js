// Models, numbers as words, and reading of drawn curves.

const models = payload.models;
const noun = payload.kind; // what the curves are of: "model", "group" or "class"
const Noun = noun[0].toUpperCase() + noun.slice(1);
const nouns = noun === "class" ? "classes" : `${noun}s`;
const hidden = new Set(); // numbers of models that the reader has switched off
const redraws = []; // what must be drawn again when a model is hidden or shown
const { preset } = payload; // where the page starts
const MANY = 3; // models beyond which only those in focus have bands and readings
const numberOf = (name) => models.findIndex((model) => model.name === name);
const ranking = payload.ranking.map(numberOf);
const focus = new Set(payload.focus.map(numberOf));

// Colours and dashes of the k-th model; the style sheet knows them.
const look = (k) => `look-${k % 13} dash-${k % 4}`;

function swatch(k) {
  const line = shape("path", { d: "M0 6H27" });
  return shape("svg", { class: `swatch ${look(k)}`, viewBox: "0 0 27 12", "aria-hidden": "true" }, line);
}

// Share of positives in the rows of a model, group or class.
const ownShare = ({ n_pos, n_neg }) => (noun === "model" ? payload.data.prevalence : n_pos / (n_pos + n_neg));

const shown = () => models.map((model, k) => [model, k]).filter(([, k]) => !hidden.has(k));

const inFocus = (k) => models.length <= MANY || focus.has(k);
const strength = (k) => (inFocus(k) ? "" : " faint");

function redrawAll() {
  for (const redraw of redraws) redraw();
}

// ---- numbers as words ----

function rate(value) {
  if (value === null || value === undefined) return "–";
  const edge = Math.min(Math.abs(value), Math.abs(1 - value));
  const digits = edge > 0 && edge < 0.001 ? Math.min(7, 1 + Math.ceil(-Math.log10(edge))) : 3;
  return value.toFixed(digits);
}

function signed(value) {
  return (value < 0 ? "−" : "+") + rate(Math.abs(value));
}

function plain(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return { inf: "∞", "-inf": "−∞" }[value] ?? value;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(2).replace("-", "−").replace("e+", "e");
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
  return value.toLocaleString("en", { maximumFractionDigits: digits }).replace("-", "−");
}

// A threshold of a section of the payload: with all its digits, and as text that can be typed back.
const cutOf = (section, i, name = "threshold") => (section[name] ? { value: section[name][i], text: section[`${name}_text`][i] } : null);
const cutText = (cut) => cut?.text ?? "–";

const percent = (value) => `${plain(Math.round(value * 1e6) / 1e4)}%`;
const share = (value) => `${plain(Number((100 * value).toPrecision(3)))}%`;
const count = (value) => value.toLocaleString("en");
const ended = (words) => (/[.!?]$/.test(words) ? words : `${words}.`);
const range = (low, high, word = rate) => `${word(low)} to ${word(high)}`;

// ---- reading of drawn curves ----

// Number of entries of an increasing list that are at most x.
function upTo(list, x) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Height at x of the line through the points; on a vertical step the last of them counts.
function heightAt(xs, ys, x) {
  const next = upTo(xs, x);
  if (next === 0) return ys[0];
  if (next === xs.length) return ys[next - 1];
  const share = (x - xs[next - 1]) / (xs[next] - xs[next - 1]);
  return ys[next - 1] + share * (ys[next] - ys[next - 1]);
}

const pointsOf = (xs, ys) => xs.map((x, i) => [x, ys[i]]);

// ---- tables ----

// A row's head may be the number of a model, which brings its look and name.
function headCell(head, attributes = { scope: "row" }) {
  if (typeof head !== "number") return make("th", attributes, make("span", { class: "clamp" }, head));
  const name = make("span", { class: "clamp", title: models[head].name }, models[head].name);
  return make("th", attributes, make("span", { class: "named" }, swatch(head), name));
}

const cells = (row) => row.map((cell) => make("td", { class: "figure" }, cell));

function framed(caption, columns, bodies) {
  const head = make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)));
  const words = caption ? [make("caption", {}, caption)] : [];
  return make("table", {}, ...words, make("thead", {}, head), ...bodies);
}

function table(caption, columns, rows) {
  const body = rows.map(([first, ...rest]) => make("tr", {}, headCell(first), ...cells(rest)));
  return framed(caption, columns, [make("tbody", {}, ...body)]);
}

// The table behind a chart: columns are [name, how its values are written]; models have numbers.
const modelName = (k) => models[k].name;

function numbersTable({ caption, columns, rows }) {
  const words = rows.map((row) => row.map((value, i) => (columns[i][1] === modelName ? value : columns[i][1](value))));
  return table(caption, columns.map(([name]) => name), words);
}

// A narrow table: each row's head stands above its figures, so that long names have room.
function narrowTable(caption, columns, rows) {
  const bodies = rows.map(([first, ...rest]) => {
    const head = headCell(first, { scope: "rowgroup", colspan: columns.length });
    return make("tbody", {}, make("tr", {}, head), make("tr", {}, ...cells(rest)));
  });
  const made = framed(caption, columns, bodies);
  made.className = "narrow";
  return made;
}

// ---- legends and switches ----

function legends() {
  for (const list of document.querySelectorAll(".legend")) {
    list.hidden = models.length < 2;
    list.replaceChildren(...models.map((model, k) => make("li", {}, legendButton(model, k))));
  }
}

function legendButton(model, k) {
  const name = make("span", { class: "clamp" }, model.name);
  const button = make("button", { type: "button", "aria-pressed": "true", "data-model": k }, swatch(k), name);
  button.title = `Show or hide ${model.name}`;
  button.addEventListener("click", () => {
    if (!hidden.delete(k)) hidden.add(k);
    for (const twin of document.querySelectorAll(`.legend [data-model="${k}"]`)) {
      twin.setAttribute("aria-pressed", String(!hidden.has(k)));
    }
    redrawAll();
  });
  return button;
}

// Radio buttons; `options` are [value, words] pairs. Returns a function that updates them.
function segments(holder, name, options, chosen) {
  const inputs = options.map(([value, words], i) => {
    const input = make("input", { type: "radio", name, value: i });
    input.addEventListener("change", () => chosen(value));
    holder.append(make("label", {}, input, words));
    return input;
  });
  return (current, possible = () => true) =>
    options.forEach(([value], i) => {
      inputs[i].checked = value === current;
      inputs[i].disabled = !possible(value);
    });
}
