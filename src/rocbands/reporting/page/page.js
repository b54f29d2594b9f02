// The payload, elements, files, and the buttons that every page has.

const payload = JSON.parse(document.getElementById("payload").textContent);

const byId = (id) => document.getElementById(id);

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function shape(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

// Words as a part of a file's name.
const slug = (words) => words.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "").slice(0, 60) || "report";

function saveFile(name, type, content) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function startTheme() {
  const button = byId("theme");
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const tell = () => (button.textContent = dark() ? "Light page" : "Dark page");
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    tell();
  });
  system.addEventListener("change", tell);
  tell();
}

function startDownload() {
  const name = `${slug(payload.title)}.json`;
  byId("download").addEventListener("click", () => saveFile(name, "application/json", byId("payload").textContent));
}

// The author's comment: it is printed, and saved with the page as it was before the script changed it.
function startComment() {
  const [box, text, button] = [byId("comment-box"), byId("comment"), byId("save-page")];
  const words = () => text.innerText.trim();
  const tell = () => {
    button.disabled = words() === "";
    box.classList.toggle("empty", words() === "");
  };
  text.addEventListener("input", tell);
  button.addEventListener("click", () => {
    const [place, around] = ["#comment", "#comment-box"].map((id) => asWritten.querySelector(id));
    place.textContent = words();
    Object.assign(around, { hidden: false, open: true });
    saveFile(`${slug(payload.title)}.html`, "text/html", `<!doctype html>\n${asWritten.outerHTML}`);
  });
  tell();
}

const asWritten = document.documentElement.cloneNode(true);
for (const part of document.querySelectorAll("[data-live]")) part.hidden = false;
for (const part of document.querySelectorAll("[data-still]")) part.remove();
startTheme();
startDownload();
startComment();
byId("print").addEventListener("click", () => window.print());
