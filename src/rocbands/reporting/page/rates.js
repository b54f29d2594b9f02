// Recall when a fixed share of the cases is acted on.

function startRates() {
  const able = models.map((model, k) => [model.rates, k]).filter(([rates]) => rates);
  if (!able.length || !byId("rates-chart")) return;
  const visible = () => able.filter(([, k]) => !hidden.has(k));

  const log = preset.log_axis; // where positives are rare, small shares are what matters
  const least = log ? 1e-4 : 0;
  const line = (xs, ys) => bent(pointsOf(xs, ys), log, least);

  function draw(chart) {
    chart.line("guess", line([0, 1], [0, 1]));
    for (const share of distinct(visible().filter(([, k]) => inFocus(k)).map(([, k]) => ownShare(models[k])))) {
      chart.line("guess", line([0, share], [0, 1]));
    }
    for (const [r, k] of visible()) {
      if (inFocus(k)) chart.area(`band ${look(k)}`, line(r.rate, r.upper), line(r.rate, r.lower));
    }
    for (const [r, k] of visible()) chart.line(`curve ${look(k)}${strength(k)}`, line(r.rate, r.tpr));
  }

  function read(x) {
    const found = visible().filter(([, k]) => inFocus(k)).map(([r, k]) => {
      const i = Math.max(0, upTo(r.rate, x + 1e-9) - 1);
      const [tpr, low, high] = [r.tpr[i], r.lower[i], r.upper[i]];
      // With ties the threshold within the rate may call fewer cases than can be acted on.
      const called = r.called && r.called[i] !== r.cases[i] ? ` (${count(r.called[i])})` : "";
      const right = r.precision[i] === null ? "–" : share(r.precision[i]);
      return { k, tpr, low, high, cases: r.cases[i], cut: cutText(cutOf(r, i)) + called, right, words: range(low, high) };
    });
    const counts = distinct(found.map(({ cases }) => cases)).sort((a, b) => a - b); // differ by weights
    const acted = counts.length > 1 ? range(counts[0], counts.at(-1), count) : count(counts[0] ?? 0);
    const caption = `Acting on ${percent(x)} of the cases${noun === "group" ? " of each group" : `: ${acted} of ${count(payload.data.n)}`}`;
    const spoken = found.map(({ k, tpr, words }) => `${models[k].name} finds ${rate(tpr)} of the positives, bounds ${words}.`);
    return {
      caption,
      columns: ["Found", "Bounds", "Score ≥", "Precision"],
      rows: found.map(({ k, tpr, words, cut, right }) => [k, rate(tpr), words, cut, right]),
      marks: found.map(({ k, tpr, low, high }) => ({ height: tpr, low, high, kind: look(k) })),
      sentence: `${caption}. ${spoken.join(" ")}`,
    };
  }

  function numbers() {
    const rows = visible().flatMap(([r, k]) => r.rate.map((x, i) => [k, x, r.cases[i], r.tpr[i], r.lower[i], r.upper[i], r.precision[i], cutOf(r, i)]));
    const columns = [[Noun, modelName], ["Share acted on", rate], ["Cases", count], ["Found", rate], ["Lower", rate], ["Upper", rate], ["Precision", rate], ["Score from", cutText]];
    return { caption: "Share of positives found", columns, rows };
  }

  const plan = () => ({
    x: { from: least, to: 1, log, name: `Share of the cases acted on${log ? " (logarithmic)" : ""}` },
    y: { from: 0, to: 1, name: "Share of the positives found" },
    ratio: 0.62,
    legend: modelLegend(), file: "capacity",
    says: ["Positives found, by the share of cases acted on", `shaded: ${percent(payload.level)} pointwise bounds`],
    stops: distinct(able.flatMap(([r]) => r.rate)).sort((a, b) => a - b).filter((x) => !log || x >= least),
    draw, read, numbers,
  });
  new Chart("rates-chart", plan, preset.capacity);
}
