// Tabs: arrow keys, Home and End move between them; each is a part of the address, so that Back works.

import { byId } from "./dom.js?token={{token}}";

const tabs = [...document.querySelectorAll('[role="tab"]')];
const watchers = [];

export const panelShown = () => tabs.find((tab) => tab.ariaSelected === "true").getAttribute("aria-controls");

export function whenShown(told) {
  watchers.push(told);
}

export function showPanel(name, focused = false) {
  if (name !== panelShown()) history.pushState(null, "", `#${name}`);
  show(name, focused);
}

// Show the tab that the address names; the first if it names nothing.
export function showNamed() {
  const name = location.hash.slice(1) || tabs[0].getAttribute("aria-controls");
  if (tabs.some((tab) => tab.getAttribute("aria-controls") === name)) show(name);
}

function show(name, focused = false) {
  for (const tab of tabs) {
    const mine = tab.getAttribute("aria-controls") === name;
    tab.ariaSelected = String(mine);
    tab.tabIndex = mine ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !mine;
    if (mine && focused) tab.focus();
  }
  for (const told of watchers) told(name);
}

const MOVES = { ArrowRight: (i) => i + 1, ArrowLeft: (i) => i - 1, Home: () => 0, End: () => tabs.length - 1 };

export function startTabs() {
  addEventListener("popstate", showNamed);
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => showPanel(tab.getAttribute("aria-controls")));
    tab.addEventListener("keydown", (event) => {
      const move = MOVES[event.key];
      if (!move) return;
      event.preventDefault();
      showPanel(tabs.at(move(i) % tabs.length).getAttribute("aria-controls"), true);
    });
  });
}
