// The answer of Analyse and of Readers: sentences, settings, downloads, and the report.

import { reportAddress } from "./api.js?token={{token}}";
import { button, byId, field, FieldProblem, group, make, number, numberIn } from "./dom.js?token={{token}}";
import { answerBox, behind, downloads, notes, repeat, sentences, staleNote } from "./results.js?token={{token}}";

// `settings`: {name, words, hint, unit, least, value}, or with `pair` two numbers.
export class Settings {
  constructor(prefix, settings, submitted, changed) {
    Object.assign(this, { prefix, settings });
    this.inputs = settings.map((one) => (one.pair ?? [one.words]).map((words) => number({ name: one.name, value: one.value, "aria-label": one.pair ? words : null })));
    const fields = settings.map((one, i) => this.#field(one, this.inputs[i]));
    this.progress = make("div");
    const press = make("button", { type: "submit" }, "Update");
    this.form = make("form", { class: "settings", novalidate: true }, make("h3", {}, "Settings"), make("div", { class: "fields" }, ...fields), make("p", { class: "row" }, press), this.progress);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      submitted(this.progress);
    });
    this.form.addEventListener("input", changed);
  }

  #field(one, inputs) {
    const id = `${this.prefix}-${one.name}`;
    if (!one.pair) return field(id, one.words, inputs[0], one.hint);
    const labelled = inputs.map((input, i) => make("label", { class: "part" }, make("span", {}, one.pair[i]), input));
    for (const input of inputs) input.removeAttribute("aria-label");
    return group(id, one.words, make("div", { class: "pair" }, ...labelled), one.hint);
  }

  // Empty what belongs to one file: all that has no usual value.
  clear() {
    this.settings.forEach((one, i) => {
      if (one.value === undefined) for (const input of this.inputs[i]) input.value = "";
    });
  }

  // The part of a task; empty fields are left out.
  task() {
    const asked = {};
    this.settings.forEach((one, i) => {
      const values = this.inputs[i].map((input) => numberIn(input, one));
      const given = values.filter((value) => value !== undefined);
      if (!given.length) return;
      if (given.length < values.length) throw new FieldProblem("Fill both fields, or none.", this.inputs[i][values.indexOf(undefined)]);
      asked[one.name] = one.pair ? values : values[0];
    });
    return asked;
  }
}

// What stands above the report already.
const ABOVE = 'body > header, #findings, .skip, nav li:has(> a[href="#findings"])';

function hideAbove(inside, hidden) {
  for (const part of inside.querySelectorAll(ABOVE)) part.hidden = hidden;
}

// Print the report alone, and whole.
function printReport(frame) {
  const inside = frame.contentWindow;
  if (!inside?.document.body) return;
  hideAbove(inside.document, false);
  inside.addEventListener("afterprint", () => hideAbove(inside.document, true), { once: true });
  inside.focus();
  inside.print();
}

// Show the report at its own height.
function reportFrame(job, title) {
  const frame = make("iframe", { class: "report", title, src: reportAddress(job), scrolling: "no" });
  frame.addEventListener("load", () => {
    const inside = frame.contentDocument;
    if (!inside?.body) return;
    hideAbove(inside, true);
    const fit = () => (frame.style.height = `${Math.ceil(inside.documentElement.getBoundingClientRect().height)}px`);
    new ResizeObserver(fit).observe(inside.documentElement);
    fit();
  });
  return frame;
}

// `before` stands before the sentences.
export function showAnswer(prefix, holder, result, settings, before = []) {
  const id = `${prefix}-answer-box`;
  const open = make("a", { href: reportAddress(result.id), target: "_blank", rel: "noopener" }, "Open the report in its own tab");
  const frame = reportFrame(result.id, "Report");
  const press = button("Print the report", () => printReport(frame));
  answerBox(id, holder, "Answer", [
    staleNote(id),
    ...before,
    make("div", { class: "headline" }, ...sentences(result.headline)),
    ...behind(result),
    ...notes(result),
    make("div", { class: "halves" }, settings.form, downloads(result)),
    ...repeat(result),
    make("div", { class: "row spread" }, make("h3", {}, "Report"), make("span", { class: "row" }, open, press)),
    frame,
  ]);
}

export const answerShown = (prefix) => byId(`${prefix}-answer-box`) !== null;
