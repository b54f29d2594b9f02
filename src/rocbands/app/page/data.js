// Steps 1 to 3 of Analyse and of Readers: bring a table, say what its columns are, start.

import { ask, Cancelled, send, work } from "./api.js?token={{token}}";
import { captionOf, Columns, previewTable } from "./columns.js?token={{token}}";
import { announce, button, byId, clearProblems, field, fillSelect, make, select, showProblem, size } from "./dom.js?token={{token}}";
import { Work } from "./progress.js?token={{token}}";

const heading = (id, n, words) => make("h2", { id }, make("span", { class: "step" }, String(n)), words);

export class Data {
  // `options`: uses, several, example ("models" or "readers"), exampleWords, start (words of the button), run, done, brought, changed.
  constructor(prefix, options) {
    Object.assign(this, { prefix, ...options });
    this.work = new Work();
    this.columns = new Columns(prefix, options.uses, options.several ?? false, () => this.#counted());
    this.upload = null;
    byId(prefix).append(this.#dataStep(), this.#columnsStep());
  }

  get ready() {
    return this.columns.preview !== null && !this.step.hidden;
  }

  // ---- 1. data ----

  #dataStep() {
    const id = `${this.prefix}-file`;
    this.file = make("input", { type: "file", id, class: "unseen", "aria-describedby": `${id}-hint ${id}-problem` });
    this.file.addEventListener("change", () => {
      if (this.file.files.length) this.bring(this.file.files[0]);
      this.file.value = "";
    });
    this.drop = make("label", { class: "drop", for: id },
      make("span", { class: "drop-words" }, make("strong", {}, "Choose a file"), " or drop it anywhere on this page"),
      make("span", { class: "hint", id: `${id}-hint` }, "CSV, TSV, Excel (.xlsx), JSON lines, Parquet or Feather, also compressed"),
    );
    this.chosen = make("p", { class: "chosen", hidden: true });
    this.example_ = button(this.exampleWords, () => this.#take(() => ask("POST", "/api/uploads/example", { kind: this.example }), "Loading the example"));
    this.progress = make("div");
    const problem = make("p", { class: "problem", id: `${id}-problem`, hidden: true });
    const title = `${this.prefix}-data-title`;
    return make("section", { "aria-labelledby": title }, heading(title, 1, "Data"),
      this.file, this.drop, problem, make("div", { class: "row" }, this.chosen, this.example_), this.progress);
  }

  bring(file) {
    return this.#take((how) => send(file, how.told, how.signal), `Copying ${file.name}`);
  }

  // Use an upload that is there already.
  use(upload) {
    return this.#take(() => Promise.resolve(upload), "Reading the first rows");
  }

  async #take(get, words) {
    clearProblems(byId(this.prefix));
    this.startButton.ariaDisabled = "true";
    try {
      const found = await this.work.run(words, this.progress, async (how) => {
        const upload = await get(how);
        how.told({ title: "Reading the first rows" });
        return [upload, await work({ task: "preview", upload: upload.id }, how)];
      });
      if (found) {
        this.brought?.();
        this.#show(...found);
      }
    } catch (problem) {
      this.complain(problem);
    } finally {
      if (!this.work.busy) this.startButton.ariaDisabled = null;
    }
  }

  // ---- 2. columns, 3. start ----

  #columnsStep() {
    const title = `${this.prefix}-columns-title`;
    this.table = make("div");
    this.remark = make("div");
    this.sheet = select([]);
    this.sheet.addEventListener("change", () => this.#readAgain("sheet"));
    this.sheetField = make("div", { class: "fields", hidden: true }, field(`${this.prefix}-sheet`, "Sheet", this.sheet));
    this.fields = make("div", {}, ...this.columns.elements());
    this.columns.encoding.addEventListener("change", () => this.#readAgain("encoding"));
    this.startButton = make("button", { type: "submit", class: "main" }, this.start);
    this.running = make("div");
    const other = make("p", { class: "problem", id: `${this.prefix}-form-problem`, role: "alert", hidden: true });
    const form = make("form", { novalidate: true }, this.sheetField, this.remark, make("div", { class: "beside" }, this.table, this.fields), other, make("p", { class: "row" }, this.startButton), this.running);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.begin(this.running);
    });
    form.addEventListener("change", () => this.changed?.());
    this.step = make("section", { "aria-labelledby": title, hidden: true }, heading(title, 2, "Columns"), form);
    return this.step;
  }

  #show(upload, preview) {
    this.upload = upload;
    this.drop.classList.add("small");
    this.chosen.hidden = false;
    this.chosen.replaceChildren(make("strong", {}, preview.name ?? upload.name), upload.size ? ` ${size(upload.size)}` : "");
    this.sheetField.hidden = !preview.sheets || preview.sheets.length < 2;
    if (preview.sheets) fillSelect(this.sheet, preview.sheets.map((name) => [name, name]), preview.sheet);
    this.table.replaceChildren(previewTable(preview));
    this.fields.hidden = preview.kind === "counts";
    const notes = preview.notes.map((words) => make("p", { class: "note" }, words));
    this.remark.replaceChildren(...notes, ...(this.remarks?.(preview, upload) ?? []));
    this.columns.fill(upload, preview);
    const was = this.step.hidden;
    this.step.hidden = false;
    this.changed?.();
    announce(`${preview.name ?? upload.name}: ${preview.columns.length} columns. Check what they are, then press ${this.start}.`);
    if (was) byId(`${this.prefix}-columns-title`).scrollIntoView({ block: "nearest" });
  }

  // The number of rows is known.
  #counted() {
    const caption = this.table.querySelector("caption");
    if (caption) caption.textContent = captionOf(this.columns.preview);
  }

  // Another sheet or encoding: `name` is its field.
  async #readAgain(name) {
    clearProblems(byId(this.prefix));
    try {
      const asked = { task: "preview", upload: this.upload.id, ...this.columns.form() };
      const preview = await this.work.run("Reading the first rows", this.running, (how) => work(asked, how));
      if (preview) this.#show(this.upload, preview);
      else if (!this.work.busy) this.sheet.value = this.columns.preview.sheet; // cancelled
    } catch (problem) {
      this.table.replaceChildren();
      this.remark.replaceChildren();
      if (!showProblem(`${this.prefix}-${name}`, problem.message)) this.complain(problem);
    }
  }

  // Start the analysis; its progress is shown in `holder`.
  async begin(holder) {
    if (this.startButton.ariaDisabled === "true") return;
    clearProblems(byId(this.prefix));
    const lacking = this.columns.lacking();
    if (lacking) {
      showProblem(`${this.prefix}-${lacking[0]}`, lacking[1]);
      return;
    }
    this.startButton.ariaDisabled = "true";
    try {
      const asked = this.columns.task();
      const result = await this.work.run("Starting", holder, (how) => this.run(asked, how));
      if (result) this.done(result, asked);
    } catch (problem) {
      this.complain(problem, `${this.prefix}-form`);
    } finally {
      if (!this.work.busy) this.startButton.ariaDisabled = null;
    }
  }

  // Say what is wrong beside its field, or where the person is.
  complain(problem, place = `${this.prefix}-file`) {
    if (problem instanceof Cancelled) return;
    if (problem.message.includes("Leave out rows")) byId(`${this.prefix}-drop_missing`).closest("details")?.setAttribute("open", "");
    const names = problem.field === "scores" ? ["scores", "score"] : [problem.field];
    if (names.some((name) => name && showProblem(`${this.prefix}-${name}`, problem.message, problem.input))) return;
    const said = byId(`${place}-problem`);
    said.textContent = problem.message;
    said.hidden = false;
    if (place === `${this.prefix}-file`) this.file.focus();
    else this.startButton.focus();
    said.scrollIntoView({ block: "nearest" });
  }
}
