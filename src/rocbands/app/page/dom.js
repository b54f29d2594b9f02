// Elements, fields with their messages, and what is announced to screen readers.

export const byId = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function button(words, pressed, attributes = {}) {
  const made = make("button", { type: "button", ...attributes }, words);
  made.addEventListener("click", pressed);
  return made;
}

export const count = (value) => value.toLocaleString("en");

export function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  const power = Math.min(3, bytes > 0 ? Math.floor(Math.log10(bytes) / 3) : 0);
  return `${count(Number((bytes / 1000 ** power).toPrecision(3)))} ${units[power]}`;
}

export function announce(words) {
  byId("live").textContent = words;
}

// ---- fields ----

// A label, its control, a hint, and a place for what is wrong. `id` names the control.
export function field(id, words, control, hint = "") {
  const hints = hint ? [make("p", { class: "hint", id: `${id}-hint` }, hint)] : [];
  const problem = make("p", { class: "problem", id: `${id}-problem`, hidden: true });
  control.id = id;
  control.setAttribute("aria-describedby", `${hint ? `${id}-hint ` : ""}${id}-problem`);
  return make("div", { class: "field" }, make("label", { for: id }, words), control, ...hints, problem);
}

// The same for a group of check boxes or radio buttons.
export function group(id, words, holder, hint = "", extra = []) {
  const hints = hint ? [make("p", { class: "hint", id: `${id}-hint` }, hint)] : [];
  const problem = make("p", { class: "problem", id: `${id}-problem`, hidden: true });
  const described = `${hint ? `${id}-hint ` : ""}${id}-problem`;
  return make("fieldset", { class: "field", id, "aria-describedby": described },
    make("legend", {}, words), ...hints, problem, ...extra, holder);
}

export function select(choices, chosen = "") {
  const made = make("select");
  fillSelect(made, choices, chosen);
  return made;
}

// `choices` are [value, words] pairs.
export function fillSelect(element, choices, chosen = "") {
  element.replaceChildren(...choices.map(([value, words]) => make("option", { value }, words)));
  element.value = chosen;
  if (element.selectedIndex < 0) element.selectedIndex = 0;
}

export const number = (attributes = {}) =>
  make("input", { type: "text", class: "number", inputmode: "decimal", autocomplete: "off", ...attributes });

export function check(words, value, checked, extra = {}) {
  const input = make("input", { type: "checkbox", value, ...extra });
  input.checked = checked;
  return make("label", { class: "check" }, input, make("span", { title: words }, words));
}

// ---- what is wrong ----

export function clearProblems(holder) {
  for (const one of holder.querySelectorAll(".problem")) {
    one.hidden = true;
    one.textContent = "";
  }
  for (const one of holder.querySelectorAll("[aria-invalid]")) one.removeAttribute("aria-invalid");
}

// Show a message beside the field `id` and move the focus there, or to `input` in it; false if there is no such field.
export function showProblem(id, words, input = null) {
  const [place, said] = [byId(id), byId(`${id}-problem`)];
  if (!place || !said || place.closest("[hidden]")) return false;
  for (let folded = place.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
  said.textContent = words;
  said.hidden = false;
  const inside = place.matches("input, select") ? [place] : [...place.querySelectorAll("input, select")];
  const control = input ?? inside.find((one) => one.type === "checkbox" && words.includes(`'${one.value}'`)) ?? inside[0]; // the column that is named
  control.setAttribute("aria-invalid", "true");
  control.focus();
  said.scrollIntoView({ block: "nearest" });
  return true;
}

// ---- numbers ----

export class FieldProblem extends Error {
  constructor(message, input) {
    super(message);
    Object.assign(this, { field: input.name, input });
  }
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const THOUSANDS = /^[+-]?[1-9]\d{0,2},\d{3}$/; // 1,500 may be 1500 or 1.5

// The number in a field, divided by `unit` (100 for percent); undefined if the field is empty. The comma may be a point.
export function numberIn(input, { unit = 1, least = -Infinity } = {}) {
  const text = input.value.trim().replace(unit === 100 ? /\s*%$/ : /$^/, "");
  if (text === "") return undefined;
  const written = text.replace(",", ".");
  if (THOUSANDS.test(text)) throw new FieldProblem(`Write ${text.replace(",", "")} or ${written}: the comma can mean either.`, input);
  if (!NUMBER.test(written)) throw new FieldProblem("Write a number, such as 2.5.", input);
  const value = Number(written);
  if (value < least) throw new FieldProblem("Write it in percent, such as 95.", input);
  return unit === 1 ? value : Number((value / unit).toPrecision(14)); // 2.3% is 0.023
}
