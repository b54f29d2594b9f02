// Work that takes time: a bar, what is being done, and a button that cancels it.

import { Cancelled } from "./api.js?token={{token}}";
import { announce, button, make } from "./dom.js?token={{token}}";

const PATIENCE = 200; // ms before a bar appears: short work shows none

export class Work {
  #running = null;
  #said = null;

  get busy() {
    return this.#running !== null;
  }

  // Show the progress of `act` in `holder`; what it returns, or undefined if it was cancelled.
  async run(words, holder, act) {
    this.cancel();
    const control = new AbortController();
    this.#running = control;
    this.#said?.remove();
    const from = document.activeElement === document.body ? null : document.activeElement;
    const [title, bar, time] = [make("p", { class: "doing" }, words), make("progress", { "aria-label": words }), make("span", { class: "hint" })];
    const stop = button("Cancel", () => control.abort());
    const box = make("div", { class: "working", hidden: true }, title, bar, make("p", { class: "row" }, stop, time));
    const began = performance.now();
    const tick = setInterval(() => (time.textContent = `${Math.floor((performance.now() - began) / 1000)} s`), 1000);
    const shown = setTimeout(() => {
      box.hidden = false;
      box.scrollIntoView({ block: "nearest" });
      announce(words);
    }, PATIENCE);
    holder.replaceChildren(box);
    const told = (progress) => {
      if (progress?.title) title.textContent = progress.title;
      if (progress?.total) Object.assign(bar, { max: progress.total, value: progress.done });
      else bar.removeAttribute("value");
    };
    let cancelled = false;
    try {
      return await act({ told, signal: control.signal });
    } catch (problem) {
      if (!(problem instanceof Cancelled)) throw problem;
      cancelled = this.#running === control;
      return undefined;
    } finally {
      clearInterval(tick);
      clearTimeout(shown);
      box.remove();
      if (this.#running === control) this.#running = null;
      if (cancelled) this.#tell(holder, from);
    }
  }

  // Say that the work was cancelled, where it was shown; the focus goes back to what started it.
  #tell(holder, from) {
    this.#said = make("p", { class: "hint" }, "Cancelled.");
    holder.replaceChildren(this.#said);
    announce("Cancelled.");
    const start = from?.isConnected ? from : holder.closest("section")?.querySelector("button[type=submit], input[type=file]");
    start?.focus();
  }

  cancel() {
    this.#running?.abort();
    this.#running = null;
  }
}
