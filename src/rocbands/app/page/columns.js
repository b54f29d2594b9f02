// The columns of a table: a preview of the first rows, and the fields that say what each column is.

import { work } from "./api.js?token={{token}}";
import { button, byId, check, count, field, fillSelect, group, make, select } from "./dom.js?token={{token}}";
import { folded } from "./results.js?token={{token}}";

const MANY = 12; // columns beyond which none is suggested, and buttons choose all or none

export function previewTable({ columns, rows, n_rows, name }) {
  const cell = (tag, text, more = {}) => make(tag, { title: text.length > 24 ? text : null, ...more }, make("span", { class: "clamp" }, text));
  const head = make("tr", {}, ...columns.map((one) => cell("th", one.name, { scope: "col", class: one.type })));
  const body = rows.map((row) => make("tr", {}, ...row.map((text, j) => cell("td", text, { class: columns[j].type }))));
  const of = n_rows === null || n_rows === undefined ? "" : ` of ${count(n_rows)}`;
  const made = make("table", { class: "preview" },
    make("caption", {}, `The first ${rows.length}${of} rows, ${count(columns.length)} column${columns.length === 1 ? "" : "s"}`),
    make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `First rows of ${name}` }, made);
}

// Fields for the columns of one table. `uses` are {name, words, hint, none}; `after` the scores, or folded (`more`).
export class Columns {
  constructor(prefix, uses, several) {
    Object.assign(this, { prefix, uses, several, preview: null, upload: null, checking: null });
    this.selects = Object.fromEntries(uses.map((use) => [use.name, select([])]));
    this.positive = select([]);
    this.dropMissing = make("input", { type: "checkbox" });
    this.boxes = make("div", { class: "checks" });
    this.selects.label.addEventListener("change", () => this.#labelChosen(null));
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
    const words = "One column of numbers for each model, test or marker. Larger numbers must mean more like the positive label.";
    return [
      make("div", { class: "fields" }, ...first),
      ...(this.several ? [group(this.#id("scores"), "Scores", this.boxes, words, [this.#switches()])] : []),
      ...(this.several ? [make("div", { class: "fields" }, ...list((use) => use.after))] : []),
      folded("More", make("div", { class: "fields" }, ...list((use) => use.more), make("div", { class: "field" }, drop, problem))),
    ];
  }

  #switches() {
    const all = (on) => () => {
      for (const box of this.boxes.querySelectorAll("input")) if (!on || !box.closest("details")) box.checked = on;
      this.boxes.dispatchEvent(new Event("change", { bubbles: true }));
    };
    this.switches = make("p", { class: "row", hidden: true }, button("All", all(true)), button("None", all(false)));
    return this.switches;
  }

  // Fill the fields; choices that the person made stay if the new table has the same columns.
  fill(upload, preview) {
    const kept = this.preview && this.#fits(preview) ? this.task() : null;
    Object.assign(this, { upload, preview });
    const found = kept ?? preview.suggestion ?? {};
    const names = preview.columns.map((column) => [column.name, column.name]);
    for (const use of this.uses) {
      const first = use.none ? ["", use.none] : ["", "Choose a column"];
      fillSelect(this.selects[use.name], [first, ...names], found[use.name] ?? "");
    }
    const scores = found.scores ?? [];
    this.#fillScores(!kept && scores.length > MANY ? [] : scores);
    this.#labelChosen(found.positive ?? null);
  }

  #fits(preview) {
    const names = new Set(preview.columns.map((column) => column.name));
    const { upload, sheet, positive, drop_missing, scores = [], ...chosen } = this.task();
    return [...Object.values(chosen), ...scores].every((name) => names.has(name));
  }

  #fillScores(chosen) {
    if (!this.several) return;
    const label = this.selects.label.value;
    const usable = this.preview.columns.filter((column) => column.name !== label);
    const box = (column) => check(column.name, column.name, chosen.includes(column.name));
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
    this.#fillScores(this.scores());
    this.checking?.abort();
    const control = new AbortController();
    this.checking = control;
    const sampled = this.preview.columns.find((column) => column.name === label)?.distinct ?? [];
    const offer = (values, chosen) => fillSelect(this.positive, [["", label ? "Choose a value" : "Choose the outcome first"], ...values], chosen ?? "");
    offer(sampled.map((value) => [value, value]), positive);
    if (!label) return;
    try {
      const found = await work({ task: "labels", upload: this.upload.id, ...this.sheet(), label }, { signal: control.signal });
      const chosen = this.positive.value || positive || found.positive;
      offer(found.labels.map(({ value, count: n }) => [value, `${value} (${count(n)} row${n === 1 ? "" : "s"})`]), chosen);
    } catch {
      // The values of the first rows stay; the analysis itself says what is wrong.
    } finally {
      if (this.checking === control) this.checking = null;
    }
  }

  sheet() {
    const chosen = byId(this.#id("sheet"))?.value;
    return this.preview?.sheets && chosen ? { sheet: chosen } : {};
  }

  // The part of a task that says what to read.
  task() {
    const base = { upload: this.upload.id, ...this.sheet() };
    if (this.preview.kind === "counts") return base;
    const named = this.uses.map((use) => [use.name, this.selects[use.name].value]).filter(([, value]) => value !== "");
    return {
      ...base,
      ...Object.fromEntries(named),
      ...(this.positive.value !== "" && { positive: this.positive.value }),
      ...(this.several && { scores: this.scores() }),
      ...(this.dropMissing.checked && { drop_missing: true }),
    };
  }

  // The first field that must be filled and is not: [name, what to do].
  lacking() {
    if (this.preview.kind === "counts") return null;
    const empty = this.uses.find((use) => !use.none && this.selects[use.name].value === "");
    if (empty) return [empty.name, `Choose the column for "${empty.words}".`];
    if (this.selects.label.value !== "" && this.positive.value === "") return ["positive", "Choose which value of the outcome is the positive one."];
    if (this.several && !this.scores().length) return ["scores", "Choose at least one column of scores."];
    return null;
  }
}
