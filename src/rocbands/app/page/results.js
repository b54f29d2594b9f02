// Parts of every answer: sentences, tables, pictures, downloads, and how to repeat it.

import { fileAddress, work } from "./api.js?token={{token}}";
import { announce, button, byId, make } from "./dom.js?token={{token}}";

export const folded = (words, ...children) => make("details", {}, make("summary", {}, words), ...children);

export const sentences = (list) => list.map((words) => make("p", {}, words));

export const behind = (result) => (result.statistics?.length ? [folded("Statistics behind this", ...sentences(result.statistics))] : []);

export function notes(result) {
  const omitted = (result.omitted ?? []).map((one) => (one.section ? `${one.section}: ${one.why}` : one));
  const said = (result.notes ?? []).map((words) => make("p", { class: "note" }, words));
  if (!omitted.length) return said;
  return [...said, folded("What the report leaves out", make("ul", { class: "plain" }, ...omitted.map((words) => make("li", {}, words))))];
}

// A notice for each score whose AUC is below 0.5. `turn` gets the score, whether small values shall count, and a place.
export function turnNotes(result, asked, turn) {
  return (result.below_half ?? []).map((name) => {
    const small = !asked.reversed?.includes(name);
    const side = small ? "small" : "large";
    const why = `The AUC of ${name} is below 0.5: ${side} values of ${name} go with the positive label.`;
    const then = `If that is expected, ${small ? "as for haemoglobin in anaemia, " : ""}let ${side} values count.`;
    const progress = make("div");
    const press = button(`Let ${side} values of ${name} count`, () => turn(name, small, progress));
    return make("div", { class: "note" }, make("p", {}, `${why} ${then}`), press, progress);
  });
}

// What the page calls columns of tables.
const TITLES = {
  model_1: "first model", model_2: "second model", low: "lower limit", high: "upper limit", lower: "lower limit", upper: "upper limit",
  pvalue: "p-value", n_pos: "positives", n_neg: "negatives", n_total: "cases",
};

export function table({ columns, rows }) {
  const names = columns.map((name) => TITLES[name] ?? name);
  const isText = columns.map((_, i) => rows.every((row) => Number.isNaN(Number(row[i]))));
  const look = (i) => (isText[i] ? "words" : null);
  const cell = (text, i) => (isText[0] && i === 0 ? make("th", { scope: "row" }, text) : make("td", { class: look(i), "data-label": names[i] }, text));
  const head = make("tr", {}, ...names.map((name, i) => make("th", { scope: "col", class: look(i) }, name)));
  const body = rows.map((row) => make("tr", {}, ...row.map(cell)));
  const made = make("table", { class: isText[0] ? "stack" : "stack plain-rows" }, make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of results" }, made);
}

// A picture that the job has drawn already; `words` say what it shows.
export function picture(result, name, words) {
  const image = make("img", { src: fileAddress(result.id, name, { inline: 1 }), alt: words });
  return make("figure", { class: "drawn-here" }, image);
}

// ---- downloads ----

function save(address, name) {
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

function downloadButton(result, file, problem) {
  const { what, kind } = split(file);
  const made = button(kind, async () => {
    if (made.ariaDisabled === "true") return;
    made.ariaDisabled = "true";
    problem.hidden = true;
    announce(`Preparing ${file.label}.`);
    try {
      const { id, name } = await work({ task: "file", of: result.id, name: file.name });
      save(fileAddress(id, name), name);
      announce(`${file.label} is saved by the browser.`);
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
    made.ariaDisabled = null;
  }, { "aria-label": `${what}: ${kind}`, "data-file": file.name });
  return made;
}

// "Summary (CSV)" is the format CSV of the summary.
function split({ label }) {
  const found = label.match(/^(.*) \((.*)\)$/);
  return found ? { what: found[1], kind: found[2] } : { what: "File", kind: label };
}

export function downloads(result) {
  const problem = make("p", { class: "problem", role: "alert", hidden: true });
  const kinds = new Map();
  for (const file of result.files) {
    const key = split(file).what;
    kinds.set(key, [...(kinds.get(key) ?? []), file]);
  }
  const rows = [...kinds.values()].map((files) =>
    make("li", {}, make("span", {}, split(files[0]).what), make("span", { class: "row" }, ...files.map((file) => downloadButton(result, file, problem)))),
  );
  return make("div", { class: "downloads" }, make("h3", {}, "Downloads"), make("ul", {}, ...rows), problem);
}

// ---- the same in other ways ----

async function copy(text, place, said) {
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren(place);
    said.textContent = "Selected: press Ctrl+C, or ⌘C, to copy.";
  }
}

function lines(title, text) {
  const place = make("code", {}, text);
  const said = make("span", { class: "hint", role: "status" });
  const press = button("Copy", () => copy(text, place, said), { "aria-label": `Copy: ${title}` });
  const box = make("pre", { tabindex: "0", role: "region", "aria-label": title }, place);
  return make("div", { class: "lines" }, make("p", { class: "row" }, make("span", { class: "label" }, title), press, said), box);
}

export function repeat(result) {
  if (!result.repeat) return [];
  const { command, python } = result.repeat;
  const hint = make("p", { class: "hint" }, "These lines give the same numbers, to the last digit, where the file is in the current folder.");
  return [folded("Repeat this", hint, lines("Command line", command), lines("Python", python))];
}

// The box of an answer; its heading takes the focus.
export function answerBox(id, holder, words, children) {
  const heading = make("h2", { id: `${id}-title`, tabindex: "-1" }, words);
  const box = make("section", { id, class: "answer-box", "aria-labelledby": `${id}-title` }, heading, ...children);
  holder.replaceChildren(box);
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: "start" });
  announce(`${words}: ready.`);
  return box;
}

export const staleNote = (id) => make("p", { class: "note", id: `${id}-stale`, hidden: true }, "The form has changed: this answer is for what it said before.");

export function markStale(id) {
  const note = byId(`${id}-stale`);
  if (note) note.hidden = false;
}
