// Net benefit of acting where the score, read as a probability, is at least a threshold.

function startBenefit() {
  const able = models.map((model, k) => [model.net_benefit, k]).filter(([found]) => found);
  if (!able.length || !byId("benefit-chart")) return;
  const visible = () => able.filter(([, k]) => !hidden.has(k));
  const baseline = (found) => found.treat_all.map((all) => Math.max(all, 0));
  const beside = (found, name) => baseline(found).map((base, i) => base + found[name][i]);
  const top = Math.max(0.01, ...able.flatMap(([found]) => beside(found, "difference_upper")));
  const [from, to] = [-0.12 * top, 1.05 * top];
  // Far below 0 nothing is drawn: treating all falls without end.
  const above = (xs, ys) => pointsOf(xs, ys).filter(([, y]) => y >= from);
  const cut = (xs, ys) => pointsOf(xs, ys.map((y) => Math.min(to, Math.max(from, y))));

  function draw(chart) {
    chart.line("guess", [[0, 0], [1, 0]]);
    for (const [found, k] of visible()) {
      if (!inFocus(k)) continue;
      chart.line("guess", above(found.threshold, found.treat_all));
      chart.area(`band ${look(k)}`, cut(found.threshold, beside(found, "difference_upper")), cut(found.threshold, beside(found, "difference_lower")));
    }
    for (const [found, k] of visible()) chart.line(`curve ${look(k)}${strength(k)}`, above(found.threshold, found.net_benefit));
    const focused = visible().filter(([, k]) => inFocus(k));
    focused.forEach(([found, k], row) => {
      const height = from * (0.35 + (0.5 * (row + 1)) / (focused.length + 1));
      for (const part of found.better) chart.line(`curve proven ${look(k)}`, [[part.from, height], [part.to, height]]);
    });
  }

  function read(x) {
    const rows = visible().filter(([, k]) => inFocus(k)).map(([found, k]) => {
      const i = Math.max(0, upTo(found.threshold, x + 1e-9) - 1);
      const limits = range(found.difference_lower[i], found.difference_upper[i], signed);
      return { k, height: found.net_benefit[i], low: beside(found, "difference_lower")[i], high: beside(found, "difference_upper")[i], gap: signed(found.difference[i]), limits };
    });
    const caption = `Acting from a probability of ${percent(x)}`;
    const spoken = rows.map(({ k, height, gap, limits }) => `${models[k].name}: net benefit ${rate(height)}, ${gap} (${limits}) compared with the better of acting on all and on none.`);
    const inside = (value) => Math.min(to, Math.max(from, value));
    return {
      caption,
      columns: ["Net benefit", "Difference", "Interval"],
      rows: rows.map(({ k, height, gap, limits }) => [k, rate(height), gap, limits]),
      marks: rows.map(({ k, height, low, high }) => ({ height: inside(height), low: inside(low), high: inside(high), kind: look(k) })),
      sentence: `${caption}. ${spoken.join(" ")}`,
    };
  }

  function numbers() {
    const keys = ["net_benefit", "net_benefit_lower", "net_benefit_upper", "treat_all", "difference", "difference_lower", "difference_upper"];
    const words = ["Net benefit", "Lower", "Upper", "Acting on all", "Difference", "Difference, lower", "Difference, upper"];
    const rows = visible().flatMap(([found, k]) => found.threshold.map((t, i) => [k, t, ...keys.map((key) => found[key][i])]));
    return { caption: "Net benefit", columns: [[Noun, modelName], ["Threshold", rate], ...words.map((word) => [word, rate])], rows };
  }

  const plan = () => ({
    x: { from: 0, to: 1, name: "Threshold probability" },
    y: { from, to, name: "Net benefit" },
    ratio: 0.62,
    legend: modelLegend(), file: "net-benefit", stops: able[0][0].threshold,
    says: ["Net benefit of acting where the probability is at least the threshold", `shaded: ${percent(payload.level)} ${able[0][0].coverage} limits of the difference from the better of acting on all and on none`],
    draw, read, numbers,
  });
  new Chart("benefit-chart", plan, Number(payload.data.prevalence ? Math.max(0.01, Math.round(100 * payload.data.prevalence) / 100).toFixed(2) : 0.5));
}
