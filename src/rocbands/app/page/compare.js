// Compare the models of the table that Analyse uses.

import { work } from "./api.js?token={{token}}";
import { announce, byId, check, clearProblems, field, fillSelect, group, make, number, numberIn, select, showProblem } from "./dom.js?token={{token}}";
import { Work } from "./progress.js?token={{token}}";
import { answerBox, behind, downloads, markStale, notes, picture, repeat, sentences, staleNote, table, turnNotes } from "./results.js?token={{token}}";
import { showPanel } from "./tabs.js?token={{token}}";

// Why models cannot be compared yet; null if they can.
function hindrance(analyse) {
  if (!analyse.ready) return "Bring a table in Analyse first, with a column of scores for each model.";
  if (analyse.columns.preview.kind === "counts") return "The file holds counts. Models can be compared only where every row is a case.";
  if (analyse.columns.scores().length < 2) return "Choose the scores of at least two models in Analyse, under Columns.";
  const lacking = analyse.columns.lacking();
  return lacking ? `In Analyse, under Columns: ${lacking[1]}` : null;
}

export function startCompare(analyse) {
  const running = new Work();
  const boxes = make("div", { class: "checks" });
  const pair = [select([]), select([])];
  const level = number({ name: "level", value: "95" });
  const pairField = group("compare-pair", "Draw the difference of", make("div", { class: "pair" },
    ...pair.map((one, i) => make("label", { class: "part" }, make("span", {}, ["this model", "minus this one"][i]), one))));
  const other = make("p", { class: "problem", id: "compare-form-problem", role: "alert", hidden: true });
  const press = make("button", { type: "submit", class: "main" }, "Compare");
  const form = byId("compare-form");
  form.append(
    group("compare-scores", "Models", boxes, "Differences are the first minus the second."),
    make("div", { class: "fields" }, pairField, field("compare-level", "Confidence level, in %", level, "How often such limits are right.")),
    other,
    make("p", { class: "row" }, press),
  );
  const chosen = () => [...boxes.querySelectorAll("input:checked")].map((box) => box.value);

  function offerPairs() {
    const names = chosen().map((name) => [name, name]);
    pairField.hidden = names.length < 3;
    pair.forEach((one, i) => fillSelect(one, names, names.some(([name]) => name === one.value) ? one.value : names[i]?.[0]));
    if (names.length > 1 && pair[0].value === pair[1].value) pair[1].value = names.find(([name]) => name !== pair[0].value)[0];
  }

  function refresh() {
    const why = hindrance(analyse);
    byId("compare-empty").hidden = why === null;
    byId("compare-ask").hidden = why !== null;
    byId("compare-why").textContent = why ?? "";
    if (why) return;
    const names = analyse.columns.scores();
    const known = [...boxes.querySelectorAll("input")].map((box) => box.value);
    if (names.join("\n") !== known.join("\n")) boxes.replaceChildren(...names.map((name) => check(name, name, true)));
    const { label, positive } = analyse.columns.task();
    byId("compare-data").textContent = `${analyse.upload.name}: ${label}, positive ${positive}`;
    offerPairs();
  }

  function show(result, asked) {
    const [first, second] = result.pair;
    const several = result.models.length > 2;
    const { sentence } = result.difference;
    answerBox("compare-answer-box", byId("compare-answer"), "Answer", [
      staleNote("compare-answer-box"),
      ...turnNotes(result, asked, (name, small, progress) => {
        analyse.columns.reverse(name, small);
        analyse.changed();
        begin(progress);
      }),
      make("div", { class: "headline" }, ...sentences(several ? [result.sentence] : [result.sentence, sentence])),
      ...behind(result),
      table(result.table),
      make("h3", {}, `Difference of the ROC curves: ${first} minus ${second}`),
      ...(several ? sentences([sentence]) : []),
      picture(result, "difference.png", `Difference of the ROC curves with its band. ${sentence}`),
      ...notes(result),
      downloads(result),
      ...repeat(result),
    ]);
  }

  async function begin(holder) {
    if (press.ariaDisabled === "true") return;
    clearProblems(byId("compare"));
    const scores = chosen();
    if (scores.length < 2) {
      showProblem("compare-scores", "Choose at least two models.");
      return;
    }
    press.ariaDisabled = "true";
    try {
      const asked = { task: "compare", ...analyse.columns.task(scores) };
      const own = numberIn(level, { unit: 100, least: 50 });
      if (own !== undefined) asked.level = own;
      if (scores.length > 2) asked.pair = pair.map((one) => one.value);
      const result = await running.run("Comparing", holder, (how) => work(asked, how));
      if (result) show(result, asked);
    } catch (problem) {
      if (!(problem.field && showProblem(`compare-${problem.field}`, problem.message, problem.input))) {
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
    begin(byId("compare-progress"));
  });
  form.addEventListener("change", () => {
    offerPairs();
    markStale("compare-answer-box");
  });
  byId("compare-go").addEventListener("click", () => {
    showPanel("analyse", true);
    announce("Analyse");
  });
  return { refresh, stale: () => markStale("compare-answer-box") };
}
