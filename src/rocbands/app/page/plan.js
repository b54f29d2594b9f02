// Plan a study: the number of cases that it needs.

import { work } from "./api.js?token={{token}}";
import { byId, check, clearProblems, field, group, make, number, numberIn, select, showProblem } from "./dom.js?token={{token}}";
import { Work } from "./progress.js?token={{token}}";
import { answerBox, behind, downloads, folded, markStale, notes, picture, repeat, sentences, staleNote, table } from "./results.js?token={{token}}";

// What the study is for: the argument, its words, and the fields that only this aim has.
const AIMS = [
  ["width", "Know the AUC of one model precisely"],
  ["against", "Show that a model is better than a given AUC"],
  ["other", "Show that one model is better than another, on the same cases"],
  ["band_width", "Know the whole ROC curve precisely"],
];
const FIELDS = [
  { name: "auc", words: "Expected AUC", value: "0.85", hint: "Of the model, from 0.5 (guessing) to 1 (perfect)." },
  { name: "width", words: "Width of the interval", value: "0.1", aims: ["width"], hint: "From the lower to the upper limit of the AUC." },
  { name: "against", words: "AUC to test against", value: "0.75", aims: ["against"], hint: "0.5 is guessing; or that of today's test." },
  { name: "other", words: "AUC of the other model", value: "0.8", aims: ["other"], hint: "Both models score the same cases." },
  { name: "correlation", words: "Correlation", value: "0.5", aims: ["other"], hint: "How alike the two models rank cases of a class: 0 not at all, 1 alike." },
  { name: "band_width", words: "Mean width of the band", value: "0.15", aims: ["band_width"], hint: "The mean height of the confidence band of the ROC curve." },
  { name: "prevalence", words: "Prevalence, in %", unit: 100, hint: "Share of positives among the cases. Empty: as many positives as negatives." },
  { name: "level", words: "Confidence level, in %", unit: 100, least: 50, value: "95", hint: "How often such limits are right." },
  { name: "power", words: "Power, in %", unit: 100, least: 50, value: "80", aims: ["against", "other"], hint: "How often the study finds the difference if it is there." },
];

export function startPlan() {
  const form = byId("plan-form");
  const running = new Work();
  const radios = AIMS.map(([value, words], i) => {
    const input = make("input", { type: "radio", name: "aim", value });
    input.checked = i === 0;
    return make("label", { class: "check" }, input, make("span", {}, words));
  });
  const inputs = Object.fromEntries(FIELDS.map((one) => [one.name, number({ name: one.name, value: one.value })]));
  const fields = FIELDS.map((one) => field(`plan-${one.name}`, one.words, inputs[one.name], one.hint));
  const sides = select([["two-sided", "Either of the two may be better"], ["greater", "Only whether the model is better"]], "two-sided");
  const sidesField = field("plan-alternative", "Alternative", sides, "The second needs fewer cases, and cannot find that the model is worse.");
  const simulate = check("Check by simulation (takes longer)", "check", false, { id: "plan-check" });
  const other = make("p", { class: "problem", id: "plan-form-problem", role: "alert", hidden: true });
  const press = make("button", { type: "submit", class: "main" }, "Plan");
  form.append(
    group("plan-aim", "What is the study for?", make("div", { class: "checks wide-checks" }, ...radios)),
    make("div", { class: "fields" }, ...fields, sidesField),
    simulate,
    other,
    make("p", { class: "row" }, press),
  );
  const aim = () => form.elements.aim.value;
  const isTest = () => ["against", "other"].includes(aim());

  function refresh() {
    FIELDS.forEach((one, i) => (fields[i].hidden = Boolean(one.aims) && !one.aims.includes(aim())));
    sidesField.hidden = !isTest();
    simulate.hidden = aim() === "band_width";
  }

  function task() {
    const asked = { task: "plan" };
    FIELDS.forEach((one, i) => {
      if (fields[i].hidden) return;
      const value = numberIn(inputs[one.name], one);
      if (value !== undefined) asked[one.name] = value;
    });
    if (isTest()) asked.alternative = sides.value;
    if (!simulate.hidden && simulate.querySelector("input").checked) asked.check = true;
    return asked;
  }

  function show(result) {
    answerBox("plan-answer-box", byId("plan-answer"), "Answer", [
      staleNote("plan-answer-box"),
      make("div", { class: "headline" }, ...sentences([result.sentence])),
      ...behind(result),
      picture(result, "plan.svg", `What smaller and larger studies achieve. ${result.sentence}`),
      folded("Numbers", table(result.table)),
      ...notes(result),
      downloads(result),
      ...repeat(result),
    ]);
  }

  async function begin() {
    if (press.ariaDisabled === "true") return;
    clearProblems(byId("plan"));
    const needed = ["auc", aim()].find((name) => inputs[name].value.trim() === "");
    if (needed) {
      showProblem(`plan-${needed}`, `Fill "${FIELDS.find((one) => one.name === needed).words}".`);
      return;
    }
    press.ariaDisabled = "true";
    try {
      const asked = task();
      const result = await running.run("Trying sizes", byId("plan-progress"), (how) => work(asked, how));
      if (result) show(result);
    } catch (problem) {
      if (!(problem.field && showProblem(`plan-${problem.field}`, problem.message, problem.input))) {
        other.textContent = problem.message;
        other.hidden = false;
        press.focus();
      }
    } finally {
      press.ariaDisabled = null;
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    begin();
  });
  form.addEventListener("change", () => {
    refresh();
    markStale("plan-answer-box");
  });
  refresh();
}
