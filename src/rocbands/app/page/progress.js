// Work that takes time: a bar, what is being done, and a button that cancels it.

import { Cancelled } from "./api.js?token={{token}}";
import { announce, button, make } from "./dom.js?token={{token}}";

const PATIENCE = 200; // ms before a bar appears: short work shows none

export class Work {
  #running = null;

  get busy() {
    return this.#running !== null;
  }

  // Show the progress of `act` in `holder`; what it returns, or undefined if it was cancelled.
  async run(words, holder, act) {
    this.cancel();
    const control = new AbortController();
    this.#running = control;
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
    try {
      return await act({ told, signal: control.signal });
    } catch (problem) {
      if (!(problem instanceof Cancelled)) throw problem;
      if (this.#running === control) announce("Cancelled.");
      return undefined;
    } finally {
      clearInterval(tick);
      clearTimeout(shown);
      box.remove();
      if (this.#running === control) this.#running = null;
    }
  }

  cancel() {
    this.#running?.abort();
    this.#running = null;
  }
}
