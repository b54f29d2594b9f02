// Analyse and Readers: what the columns are for, and the settings of each.

import { work } from "./api.js?token={{token}}";
import { Settings, showAnswer } from "./answer.js?token={{token}}";
import { Data } from "./data.js?token={{token}}";
import { button, byId, make } from "./dom.js?token={{token}}";
import { markStale, turnNotes } from "./results.js?token={{token}}";
import { showPanel } from "./tabs.js?token={{token}}";

const LEVEL = { name: "level", words: "Confidence level, in %", value: "95", unit: 100, least: 50, hint: "How often such limits are right." };

// One of the two: `task` is its name for the program.
function start(prefix, task, settings, options) {
  const holder = make("div");
  const stale = () => markStale(`${prefix}-answer-box`);
  const set = new Settings(prefix, settings, (progress) => data.begin(progress), stale);
  const data = new Data(prefix, {
    ...options,
    run: (asked, how) => work({ task, ...asked, ...set.task() }, how),
    done: (result, asked) => showAnswer(prefix, holder, result, set, turnNotes(result, asked, (name, small, progress) => {
      data.columns.reverse(name, small);
      data.begin(progress);
    })),
    brought: () => set.clear(),
    changed: () => {
      stale();
      options.changed?.();
    },
  });
  byId(prefix).append(holder);
  return data;
}

export function startAnalyse(readers, changed) {
  const settings = [
    LEVEL,
    { name: "prevalence", words: "Prevalence, in %", unit: 100, hint: "Share of positives where the model will be used. Empty: as in the data." },
    { name: "capacity", words: "Capacity, in %", unit: 100, hint: "Share of the cases that you can act on." },
    { name: "costs", words: "Costs", pair: ["missed positive", "false alarm"], hint: "In any unit. Empty: nothing is said about costs." },
  ];
  const uses = [
    { name: "label", words: "Outcome", hint: "What is true of each case: a column with two values." },
    { name: "clusters", after: true, words: "Clusters", none: "None: each row is a case", hint: "Rows that belong together, such as several lesions of a patient." },
    { name: "weights", after: true, words: "Weights", none: "None", hint: "How many cases a row stands for, from a survey." },
    { name: "strata", words: "Strata", none: "None", more: true, hint: "Parts that were sampled separately, such as hospitals." },
  ];
  return start("analyse", "analyse", settings, {
    uses,
    changed,
    several: true,
    example: "models",
    exampleWords: "Try the example",
    start: "Analyse",
    remarks: (preview, upload) => {
      if (preview.kind === "counts") return [make("p", { class: "note" }, "This is a file of counts: there are no columns to choose. Models cannot be compared from counts.")];
      if (preview.kind !== "readings") return [];
      const go = button("Open it in Readers", () => {
        showPanel("readers", true);
        readers.use(upload);
      });
      return [make("div", { class: "note" }, make("p", {}, "This looks like a reader study: it has a column of readers."), go)];
    },
  });
}

export function startReaders() {
  const settings = [
    LEVEL,
    { name: "margin", words: "Margin", hint: "To show that the first test is not worse than the second by more than this, in units of AUC. Empty: no such question." },
  ];
  const uses = [
    { name: "reader", words: "Reader", hint: "Who read.", lack: " There must be a row for each reading: if each reader has a column, rearrange the table first." },
    { name: "case", words: "Case", hint: "Which case was read." },
    { name: "test", words: "Test", none: "None: there is one test", hint: "The way of reading, such as aided or unaided." },
    { name: "label", words: "Outcome", none: "In rows of a reader 'truth'", hint: "What is true of the case." },
    { name: "score", words: "Score", hint: "The reader's rating; larger means more like the positive label." },
    { name: "clusters", words: "Clusters", none: "None: each case stands for itself", hint: "Cases that belong together, such as several lesions of a patient." },
  ];
  return start("readers", "readers", settings, {
    uses,
    example: "readers",
    exampleWords: "Try the example of a reader study",
    start: "Analyse the readings",
  });
}
