// The columns of a table: a preview of the first rows, and the fields that say what each column is.

import { work } from "./api.js?token={{token}}";
import { button, byId, check, count, field, fillSelect, group, make, select } from "./dom.js?token={{token}}";
import { folded } from "./results.js?token={{token}}";

// How a file of text may be written, if the program does not find it.
const DECIMALS = [["", "Found from the numbers"], [".", "A point"], [",", "A comma"]];
const ENCODINGS = [
  ["", "Found from the file"],
  ["utf-8", "UTF-8"],
  ["cp1252", "Windows, western Europe (cp1252)"],
  ["cp1250", "Windows, central Europe (cp1250)"],
  ["cp1251", "Windows, Cyrillic (cp1251)"],
  ["utf-16", "UTF-16"],
];
const MANY = 12; // columns beyond which none is suggested, and buttons choose all or none

export function captionOf({ columns, rows, n_rows }) {
  const of = n_rows === null || n_rows === undefined ? "" : ` of ${count(n_rows)}`;
  return `The first ${rows.length}${of} rows, ${count(columns.length)} column${columns.length === 1 ? "" : "s"}`;
}

export function previewTable(preview) {
  const { columns, rows, name } = preview;
  const cell = (tag, text, more = {}) => make(tag, { title: text.length > 24 ? text : null, ...more }, make("span", { class: "clamp" }, text));
  const head = make("tr", {}, ...columns.map((one) => cell("th", one.name, { scope: "col", class: one.type })));
  const body = rows.map((row) => make("tr", {}, ...row.map((text, j) => cell("td", text, { class: columns[j].type }))));
  const made = make("table", { class: "preview" }, make("caption", {}, captionOf(preview)), make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `First rows of ${name}` }, made);
}

// Fields for the columns of one table. `uses` are {name, words, hint, none}; `after` the scores, or folded (`more`).
// `wanted` are the scores that the person wants, `turned` those of them whose small values count.
export class Columns {
  constructor(prefix, uses, several, counted) {
    Object.assign(this, { prefix, uses, several, counted, preview: null, upload: null, checking: null, guessed: {} });
    Object.assign(this, { wanted: new Set(), turned: new Set() });
    this.selects = Object.fromEntries(uses.map((use) => [use.name, select([])]));
    this.positive = select([]);
    this.decimal = select(DECIMALS);
    this.encoding = select(ENCODINGS);
    this.dropMissing = make("input", { type: "checkbox" });
    this.boxes = make("div", { class: "checks" });
    this.boxes.addEventListener("change", ({ target }) => this.#ticked(this.wanted, target));
    this.directions = make("div", { class: "checks long-checks" });
    this.directions.addEventListener("change", ({ target }) => this.#ticked(this.turned, target));
    this.selects.score?.addEventListener("change", () => this.#refresh());
    this.selects.case?.addEventListener("change", () => {
      if (this.selects.clusters.value === this.selects.case.value) this.selects.clusters.value = ""; // was only suggested
    });
    this.selects.label.addEventListener("change", () => this.#labelChosen(null));
    for (const one of [...Object.values(this.selects), this.positive]) one.addEventListener("change", () => this.#sayGuess());
  }

  #id(name) {
    return `${this.prefix}-${name}`;
  }

  elements() {
    const one = (use) => field(this.#id(use.name), use.words, this.selects[use.name], use.hint);
    const list = (kept) => this.uses.filter(kept).map(one);
    const first = list((use) => !use.more && !use.after);
    const at = 1 + this.uses.findIndex((use) => use.name === "label");
    first.splice(at, 0, field(this.#id("positive"), "Positive label", this.positive, "The value that the score should find, such as the disease."));
    const drop = make("label", { class: "check", for: this.#id("drop_missing") }, this.dropMissing, make("span", {}, "Leave out rows with missing values"));
    this.dropMissing.id = this.#id("drop_missing");
    const problem = make("p", { class: "problem", id: this.#id("drop_missing-problem"), hidden: true });
    this.drop = make("div", { class: "field" }, drop, problem);
    const written = [
      field(this.#id("decimal"), "Decimal sign", this.decimal, "Of numbers in a file of text."),
      field(this.#id("encoding"), "Encoding", this.encoding, "Of a file of text. Change it if letters are wrong."),
    ];
    this.folded = make("div", { class: "fields" }, ...list((use) => use.more), this.drop, ...written);
    this.plain = make("div", { class: "fields" });
    const words = "One column of numbers for each model, test or marker. Larger numbers must mean more like the positive label; where small ones do, say so under More.";
    this.guess = make("p", { class: "note", hidden: true });
    this.direction = this.several ? group(this.#id("reversed"), "Direction", this.directions) : null;
    return [
      this.guess,
      make("div", { class: "fields" }, ...first),
      ...(this.several ? [group(this.#id("scores"), "Scores", this.boxes, words, [this.#switches()])] : []),
      ...(this.several ? [make("div", { class: "fields" }, ...list((use) => use.after))] : []),
      this.plain,
      folded("More", ...(this.several ? [this.direction] : []), this.folded),
    ];
  }

  #switches() {
    const all = (on) => () => {
      for (const box of this.boxes.querySelectorAll("input")) if (!on || !box.closest("details")) box.checked = on;
      if (!on) this.wanted.clear();
      for (const name of this.scores()) this.wanted.add(name);
      this.boxes.dispatchEvent(new Event("change", { bubbles: true }));
    };
    this.switches = make("p", { class: "row", hidden: true }, button("All", all(true)), button("None", all(false)));
    return this.switches;
  }

  #ticked(set, { value, checked, type }) {
    if (type === "checkbox") set[checked ? "add" : "delete"](value);
    this.#refresh();
  }

  // Let small values of a score count, or large ones.
  reverse(name, small) {
    this.turned[small ? "add" : "delete"](name);
    this.#refresh();
  }

  // Say which choices are guesses from names and values, as long as they stand.
  #sayGuess() {
    const chosen = Object.fromEntries([...this.uses, { name: "positive" }].map(({ name }) => [name, (this.selects[name] ?? this.positive).value]));
    const words = this.uses.flatMap(({ name, words }) => [[name, words.toLowerCase()], ...(name === "label" ? [["positive", "positive label"]] : [])]);
    const kept = words.filter(([name]) => chosen[name] !== "" && chosen[name] === this.guessed[name]).map(([name, said]) => `${said} \u201c${chosen[name]}\u201d`);
    const scores = this.several ? this.scores() : [];
    if (scores.length && String(scores) === String(this.guessed.scores)) kept.push(`scores \u201c${scores.join("\u201d, \u201c")}\u201d`);
    this.guess.textContent = `Guessed from names and values, please check: ${kept.join("; ")}.`;
    this.guess.hidden = !kept.length;
  }

  // What follows from the chosen scores: their directions, and where missing values are asked for.
  #refresh() {
    const scores = this.several ? this.scores() : [this.selects.score.value];
    const shown = [...this.directions.querySelectorAll("input")].map((box) => [box.value, box.checked]);
    const wished = scores.map((name) => [name, this.turned.has(name)]);
    if (this.several && JSON.stringify(shown) !== JSON.stringify(wished)) {
      this.directions.replaceChildren(...wished.map(([name, small]) => check(`Small values of ${name} mean more like the positive label`, name, small)));
      this.direction.hidden = !scores.length;
    }
    const lacks = this.preview.columns.some((column) => column.missing > 0 && scores.includes(column.name));
    const place = lacks ? this.plain : this.folded;
    if (this.drop.parentElement !== place) place.append(this.drop);
    this.plain.hidden = !lacks;
    this.#sayGuess();
  }

  // Fill the fields; choices that the person made stay if the new table has the same columns.
  fill(upload, preview) {
    const kept = this.preview && this.#fits(preview) ? this.task() : null;
    if (!kept && this.upload?.id !== upload.id) this.decimal.value = this.encoding.value = "";
    Object.assign(this, { upload, preview });
    const found = kept ?? preview.suggestion ?? {};
    const names = preview.columns.map((column) => [column.name, column.name]);
    for (const use of this.uses) {
      const first = use.none ? ["", use.none] : ["", "Choose a column"];
      fillSelect(this.selects[use.name], [first, ...names], found[use.name] ?? "");
    }
    if (!kept) {
      const taken = this.uses.some((use) => use.name !== "clusters" && found[use.name] === found.clusters);
      if (taken) this.selects.clusters.value = ""; // a column has one use
      const scores = found.scores ?? [];
      this.wanted = new Set(scores.length > MANY ? [] : scores);
      this.turned = new Set();
      this.guessed = { ...found };
    }
    this.#labelChosen(found.positive ?? null);
  }

  #fits(preview) {
    const names = new Set(preview.columns.map((column) => column.name));
    const { upload, sheet, encoding, decimal, positive, drop_missing, reversed, scores = [], ...chosen } = this.task();
    return [...Object.values(chosen), ...scores].every((name) => names.has(name));
  }

  #fillScores() {
    if (!this.several) return;
    const label = this.selects.label.value;
    const usable = this.preview.columns.filter((column) => column.name !== label);
    const box = (column) => check(column.name, column.name, this.wanted.has(column.name));
    const numbers = usable.filter((column) => column.type === "number");
    const texts = usable.filter((column) => column.type !== "number");
    const rest = texts.length ? [folded(`Columns of text (${texts.length})`, make("div", { class: "checks" }, ...texts.map(box)))] : [];
    this.boxes.replaceChildren(...numbers.map(box), ...rest);
    this.switches.hidden = numbers.length <= MANY;
  }

  scores() {
    return [...this.boxes.querySelectorAll("input:checked")].map((box) => box.value);
  }

  // The values of the outcome, counted in all rows.
  async #labelChosen(positive) {
    const label = this.selects.label.value;
    this.#fillScores();
    this.#refresh();
    this.checking?.abort();
    const control = new AbortController();
    this.checking = control;
    const { preview } = this;
    const sampled = preview.columns.find((column) => column.name === label)?.distinct ?? [];
    const offer = (values, chosen) => fillSelect(this.positive, [["", label ? "Choose a value" : "Choose the outcome first"], ...values], chosen ?? "");
    offer(sampled.map((value) => [value, value]), positive);
    if (!label) return;
    try {
      const found = await work({ task: "labels", upload: this.upload.id, ...this.form(), label }, { signal: control.signal });
      const chosen = this.positive.value || positive || found.positive;
      preview.n_rows ??= found.n_rows;
      if (preview === this.preview) this.counted();
      if (!this.positive.value && chosen === found.positive) this.guessed.positive = chosen;
      offer(found.labels.map(({ value, count: n }) => [value, `${value} (${count(n)} row${n === 1 ? "" : "s"})`]), chosen);
      this.#sayGuess();
    } catch {
      // The values of the first rows stay; the analysis itself says what is wrong.
    } finally {
      if (this.checking === control) this.checking = null;
    }
  }

  // How the file is written.
  form() {
    const sheet = this.preview?.sheets ? byId(this.#id("sheet"))?.value : "";
    const chosen = { sheet, encoding: this.encoding.value, decimal: this.decimal.value };
    return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value));
  }

  // The part of a task that says what to read; with some of the scores, or all.
  task(scores = this.scores()) {
    const reversed = scores.filter((name) => this.turned.has(name));
    const base = { upload: this.upload.id, ...this.form() };
    if (this.preview.kind === "counts") return base;
    const named = this.uses.map((use) => [use.name, this.selects[use.name].value]).filter(([, value]) => value !== "");
    return {
      ...base,
      ...Object.fromEntries(named),
      ...(this.positive.value !== "" && { positive: this.positive.value }),
      ...(this.several && { scores }),
      ...(reversed.length && { reversed }),
      ...(this.dropMissing.checked && { drop_missing: true }),
    };
  }

  // The first field that must be filled and is not: [name, what to do].
  lacking() {
    if (this.preview.kind === "counts") return null;
    const empty = this.uses.find((use) => !use.none && this.selects[use.name].value === "");
    if (empty) return [empty.name, `Choose the column for "${empty.words}".${empty.lack ?? ""}`];
    if (this.selects.label.value !== "" && this.positive.value === "") return ["positive", "Choose which value of the outcome is the positive one."];
    if (this.several && !this.scores().length) return ["scores", "Choose at least one column of scores."];
    return null;
  }
}
