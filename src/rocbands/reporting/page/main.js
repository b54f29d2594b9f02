// The page's own buttons, and the start of everything.

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
legends();
startTheme();
startDownload();
startComment();
byId("print").addEventListener("click", () => window.print());
startConfusion();
startRoc();
startFocus();
startDifference();
startCost();
startBenefit();
startRates();
startScores();
