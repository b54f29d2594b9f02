// The start of everything: tabs, files that are dropped, the button that stops the program.

import { ask } from "./api.js?token={{token}}";
import { startAnalyse, startReaders } from "./analyse.js?token={{token}}";
import { startCompare } from "./compare.js?token={{token}}";
import { byId, count, make, size } from "./dom.js?token={{token}}";
import { startPlan } from "./plan.js?token={{token}}";
import { panelShown, showNamed, showPanel, startTabs, whenShown } from "./tabs.js?token={{token}}";

function startDrops(panes) {
  const root = document.documentElement;
  const withFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!withFiles(event)) return;
    event.preventDefault();
    root.classList.add("dropping");
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) root.classList.remove("dropping");
  });
  document.addEventListener("drop", (event) => {
    if (!withFiles(event)) return;
    event.preventDefault();
    root.classList.remove("dropping");
    if (!panes[panelShown()]) showPanel("analyse");
    if (event.dataTransfer.files.length) panes[panelShown()].bring(event.dataTransfer.files[0]);
  });
}

function startStop() {
  const dialog = byId("stopping");
  byId("stop").addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("close", async () => {
    if (dialog.returnValue !== "stop") return;
    await ask("POST", "/api/stop").catch(() => {});
    const heading = make("h2", { tabindex: "-1" }, "rocbands has stopped");
    byId("main").replaceChildren(make("section", {}, heading, make("p", {}, "Your files were deleted from its folder. You can close this tab.")));
    document.querySelector(".tabs").remove();
    byId("stop").remove();
    heading.focus();
  });
}

// Ask before the page is left with an answer on it; none is there after Stop.
addEventListener("beforeunload", (event) => {
  if (document.querySelector(".answer-box")) event.preventDefault();
});

startTabs();
startStop();
startPlan();
let compare = null;
const readers = startReaders();
const analyse = startAnalyse(readers, () => compare?.stale());
compare = startCompare(analyse);
whenShown((name) => {
  if (name === "compare") compare.refresh();
});
startDrops({ analyse, readers });
showNamed();

const state = await ask("GET", "/api/state");
byId("version").textContent = state.version;
byId("limits").textContent = `A file may have up to ${size(state.limits.bytes)} and ${count(state.limits.rows)} rows.`;
if (state.file) analyse.use(state.file);
