// Files of what is shown: a chart as PNG, SVG or CSV.

const SHARP = 3; // pixels of a PNG for each pixel of the page
const STYLED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "opacity", "font-size", "font-weight"];
const FONT = "Helvetica, Arial, sans-serif";

const chartFile = (chart, ending) => `${slug(payload.title)}-${slug(chart.now.file)}.${ending}`;

// ---- pictures ----

// What the lines of a chart are, in rows below it; returns the elements and the height they need.
function legendBelow(items, width, top) {
  const parts = [];
  let [x, y] = [12, top];
  for (const [kind, words] of items) {
    const short = words.length > 60 ? `${words.slice(0, 59)}…` : words;
    const room = 44 + 7.2 * short.length;
    if (x > 12 && x + room > width) [x, y] = [12, y + 20];
    const box = kind.startsWith("bars");
    parts.push(box ? shape("rect", { class: kind, x: x + 9, y: y - 9, width: 10, height: 10 }) : shape("path", { class: kind, d: `M${x} ${y - 4}h28` }));
    parts.push(shape("text", { class: "says", x: x + 34, y }, short));
    x += room;
  }
  return [parts, items.length ? y - top + 24 : 0];
}

// The chart without its cursor, with a legend and with its style inside, in the light colours.
function pictureOf(chart) {
  const picture = chart.plot.svg.cloneNode(true);
  picture.querySelector(".cursor").remove();
  const [, , width, height] = picture.getAttribute("viewBox").split(" ").map(Number);
  const [legend, more] = legendBelow(chart.now.legend, width, height + 10);
  const size = { width, height: height + more };
  for (const [name, value] of Object.entries({ ...size, viewBox: `0 0 ${width} ${size.height}`, "font-family": FONT })) picture.setAttribute(name, value);
  picture.removeAttribute("aria-hidden");
  picture.prepend(shape("title", {}, `${payload.title}: ${chart.name()}`), shape("rect", { class: "paper", ...size }));
  picture.append(...legend);
  const root = document.documentElement;
  const theme = root.dataset.theme;
  const holder = make("div", { class: "unseen" }, picture);
  root.dataset.theme = "light";
  document.body.append(holder);
  for (const part of picture.querySelectorAll("path, rect, text")) {
    const style = getComputedStyle(part);
    for (const name of STYLED) part.setAttribute(name, style.getPropertyValue(name));
    part.removeAttribute("class");
  }
  holder.remove();
  if (theme) root.dataset.theme = theme;
  else delete root.dataset.theme;
  return { text: new XMLSerializer().serializeToString(picture), ...size };
}

function saveSvg(chart) {
  saveFile(chartFile(chart, "svg"), "image/svg+xml", pictureOf(chart).text);
}

async function savePng(chart) {
  const { text, width, height } = pictureOf(chart);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = make("canvas", { width: SHARP * width, height: SHARP * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  // `toBlob` waits until the browser is idle, on a busy machine for many seconds.
  const bytes = atob(canvas.toDataURL("image/png").split(",")[1]);
  saveFile(chartFile(chart, "png"), "image/png", Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

// ---- numbers ----

const quoted = (cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

// All numbers behind a chart with all their digits, as the payload has them.
function saveCsv(chart) {
  const { columns, rows } = chart.now.numbers();
  const heads = columns.flatMap(([name, write]) => {
    const head = slug(name).replaceAll("-", "_");
    return write === cutText ? [head, `${head}_text`] : [head];
  });
  const cell = (value, i) => {
    const write = columns[i][1];
    const found = write === cutText ? [value?.value, value?.text] : [write === modelName ? modelName(value) : value];
    return found.map((one) => String(one ?? ""));
  };
  const lines = [heads, ...rows.map((row) => row.flatMap(cell))].map((row) => row.map(quoted).join(","));
  saveFile(chartFile(chart, "csv"), "text/csv", `${lines.join("\r\n")}\r\n`);
}

function saveButtons(chart) {
  const kinds = { PNG: savePng, SVG: saveSvg, CSV: saveCsv };
  const buttons = Object.entries(kinds).map(([kind, save]) => {
    const button = make("button", { type: "button", "data-save": kind }, kind);
    button.addEventListener("click", () => save(chart));
    return button;
  });
  return make("p", { class: "saves only-screen" }, "Save this chart: ", ...buttons);
}
