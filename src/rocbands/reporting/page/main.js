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
  byId("download").addEventListener("click", () => {
    const file = new Blob([byId("payload").textContent], { type: "application/json" });
    const link = make("a", { href: URL.createObjectURL(file), download: "report.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

for (const part of document.querySelectorAll("[data-live]")) part.hidden = false;
for (const part of document.querySelectorAll("[data-still]")) part.remove();
legends();
startTheme();
startDownload();
byId("print").addEventListener("click", () => window.print());
startRoc();
startFocus();
startDifference();
startCost();
startRates();
startScores();
