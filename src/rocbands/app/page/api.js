// Requests to the program. Every one carries the key of the page.

import { byId } from "./dom.js?token={{token}}";

const { token } = document.documentElement.dataset;

export class Problem extends Error {
  constructor({ message, field = null, row = null }) {
    super(message);
    Object.assign(this, { field, row });
  }
}

export class Cancelled extends Error {}

export const address = (path, more = {}) => `${path}?${new URLSearchParams({ ...more, token })}`;
export const fileAddress = (job, name, more = {}) => address(`/api/jobs/${job}/files/${encodeURIComponent(name)}`, more);
export const reportAddress = (job) => address(`/api/jobs/${job}/report`);

function answerOf(status, text) {
  let found = null;
  try {
    found = JSON.parse(text);
  } catch {
    found = null;
  }
  if (status >= 400 || found === null) throw new Problem(found?.error ?? { message: text || `The program answered ${status}.` });
  return found;
}

export async function ask(method, path, body) {
  const headers = { "X-Rocbands-Token": token, ...(body && { "Content-Type": "application/json" }) };
  let answer;
  let text;
  try {
    answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
    text = await answer.text();
  } catch {
    byId("lost").hidden = false;
    throw new Problem({ message: "rocbands does not answer. Is it still running?" });
  }
  byId("lost").hidden = true;
  return answerOf(answer.status, text);
}

// Send a file; fetch() cannot tell how much of it has been sent.
export function send(file, told, signal) {
  return new Promise((kept, broken) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append("file", file);
    request.open("POST", "/api/uploads");
    request.setRequestHeader("X-Rocbands-Token", token);
    request.upload.addEventListener("progress", (event) => told({ done: event.loaded, total: file.size, title: "Copying the file" }));
    request.addEventListener("load", () => {
      try {
        kept(answerOf(request.status, request.responseText));
      } catch (problem) {
        broken(problem);
      }
    });
    request.addEventListener("error", () => broken(new Problem({ message: "The file could not be read, or rocbands has stopped." })));
    request.addEventListener("abort", () => broken(new Cancelled()));
    signal?.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

const pause = (time, signal) =>
  new Promise((kept) => {
    const timer = setTimeout(kept, time);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      kept();
    });
  });

// Start a job and wait for it. `told` receives its progress; aborting `signal` cancels it.
export async function work(task, { told = () => {}, signal } = {}) {
  const { id } = await ask("POST", "/api/jobs", task);
  for (let wait = 40; ; wait = Math.min(400, wait * 1.3)) {
    if (signal?.aborted) {
      await ask("DELETE", `/api/jobs/${id}`);
      throw new Cancelled();
    }
    const job = await ask("GET", `/api/jobs/${id}`);
    if (job.state === "done") return { ...job.result, id };
    if (job.state === "failed") throw new Problem(job.error);
    if (job.state === "cancelled") throw new Cancelled();
    told(job.state === "waiting" ? { title: "Waiting for other work to end" } : job.progress);
    await pause(wait, signal);
  }
}
