// The difference of the curves of two models or groups, with its band, and where one is better.

function startDifference() {
  const pairs = (payload.comparison?.pairs ?? []).filter((pair) => pair.band);
  if (!pairs.length || !byId("difference-chart")) return;
  const both = ({ first, second }) => inFocus(numberOf(first)) && inFocus(numberOf(second));
  let pair = pairs.find(both) ?? pairs[0];
  const { level } = payload;
  const all = payload.comparison.pairs.length;
  const finds = (name) => (noun === "model" ? `${name} finds more` : `More positives of ${name} are found`);
  const together = all > 1 ? `; the level is for the bands of all ${all} pairs at once` : "";

  const log = preset.log_axis; // where positives are rare, low rates are what matters
  const begin = log ? lowest : 0;
  const line = (xs, ys) => bent(pointsOf(xs, ys), log, begin);

  function draw(chart) {
    const { fpr, difference, lower, upper } = pair.band;
    const first = look(Math.max(0, numberOf(pair.first)));
    chart.line("guess", line([begin, 1], [0, 0]));
    chart.area(`band ${first}`, line(fpr, upper), line(fpr, lower));
    chart.line(`curve ${first}`, line(fpr, difference));
    const { y, box, x, layer } = chart.plot;
    for (const part of pair.better ?? []) {
      const k = Math.max(0, numberOf(part.model));
      const [from, to] = [x(part.from), x(part.to)];
      const size = { x: from, y: box.bottom - 9, width: Math.max(2, to - from), height: 9 };
      layer.append(shape("rect", { class: `better ${look(k)}`, ...size }));
    }
    layer.append(shape("path", { class: "cross", d: `M${box.left} ${y(0)}H${box.right}` }));
  }

  function read(at) {
    const { fpr, difference, lower, upper } = pair.band;
    const [d, l, h] = [difference, lower, upper].map((ys) => heightAt(fpr, ys, at));
    const caption = `At a false positive rate of ${rate(at)}`;
    const open = noun === "model" ? "Which model finds more is not settled here" : "The difference may be chance here";
    const verdict = l > 0 ? finds(pair.first) : h < 0 ? finds(pair.second) : open;
    const kind = look(Math.max(0, numberOf(pair.first)));
    return {
      caption,
      columns: ["Difference", "Band"],
      rows: [[`${pair.first} minus ${pair.second}`, signed(d), range(l, h, signed)]],
      after: `${verdict}.`,
      marks: [{ height: d, low: l, high: h, kind }],
      sentence: `${caption}: difference ${signed(d)}, band ${range(l, h, signed)}; ${verdict}.`,
    };
  }

  function numbers() {
    const { fpr, difference, lower, upper } = pair.band;
    const rows = fpr.map((x, i) => [x, difference[i], lower[i], upper[i]]);
    const columns = [["FPR", rate], ["Difference", signed], ["Lower", signed], ["Upper", signed]];
    return { caption: `${pair.first} minus ${pair.second}`, columns, rows };
  }

  function plan() {
    const { lower, upper } = pair.band;
    const [least, most] = [Math.min(-0.02, ...lower), Math.max(0.02, ...upper)];
    const from = least - 0.12 * (most - least); // room for the bars
    const to = most + 0.05 * (most - least);
    return {
      x: { from: begin, to: 1, log, name: `False positive rate${log ? " (logarithmic)" : ""}` },
      y: { from, to, name: "Difference of true positive rates", word: (v) => (v > 0 ? `+${tickWord(v)}` : tickWord(v)) },
      ratio: 0.48,
      legend: [[`curve ${look(Math.max(0, numberOf(pair.first)))}`, `${pair.first} minus ${pair.second}`]],
      file: `difference-${pair.first}-${pair.second}`,
      says: [`${percent(level)} simultaneous band for the difference of the true curves`, `above 0: ${noun === "model" ? "the first model finds more positives" : "more positives of the first group are found"}${together}`],
      draw, read, numbers,
    };
  }

  const chart = new Chart("difference-chart", plan, Math.min(pair.band.fpr.at(-1), Math.max(pair.band.fpr[0], preset.fpr)));
  const pick = byId("difference-pair");
  pick.append(...pairs.map((one, i) => make("option", { value: i }, `${one.first} minus ${one.second}`)));
  pick.value = String(pairs.indexOf(pair));
  const describe = () => {
    const { fpr, notes } = pair.band;
    const found = pair.better?.length
      ? `Bars at the foot of the chart: where ${noun === "model" ? "one model, by its colour, finds more positives" : "more positives of one group, by its colour, are found"}, with confidence.`
      : noun === "model" ? "Neither model is shown to be better at any of these false positive rates." : "No difference is shown at any of these false positive rates.";
    const reach = `The band is for false positive rates from ${rate(fpr[0])} to ${rate(fpr.at(-1))}.`;
    byId("difference-caption").textContent = [found, reach, ...notes].map(ended).join(" ");
  };
  pick.addEventListener("change", () => {
    pair = pairs[Number(pick.value)];
    describe();
    chart.draw();
  });
  describe();
}
