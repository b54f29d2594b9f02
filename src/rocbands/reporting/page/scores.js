// Where the scores of both classes lie: positives upward, negatives downward.

function startScores() {
  models.forEach((model, k) => {
    if (model.scores && byId(`scores-chart-${k}`)) scoreChart(model.scores, k);
  });
}

function scoreChart({ edges, positives, negatives, scale: kind, at = edges }, k) {
  const highest = Math.max(...positives, ...negatives) || 1;
  const name = kind === "rank" ? "Rank of the score (share of cases below)" : "Score";
  const binAt = (x) => Math.min(positives.length - 1, Math.max(0, upTo(edges, x) - 1));

  function bars(chart, heights, sign, kindOf) {
    const { x, y, layer } = chart.plot;
    const parts = heights.map((height, i) => {
      const [from, to] = [x(edges[i]), x(edges[i + 1])];
      const gap = Math.min(0.5, (to - from) / 8);
      return `M${(from + gap).toFixed(2)} ${y(0)}V${y(sign * height).toFixed(2)}H${(to - gap).toFixed(2)}V${y(0)}Z`;
    });
    layer.append(shape("path", { class: kindOf, d: parts.join("") }));
  }

  function read(x) {
    const i = binAt(x);
    const caption = `Scores from ${plain(at[i])} to ${plain(at[i + 1])}`;
    const [up, down] = [positives[i], negatives[i]].map(share);
    return {
      caption,
      columns: ["Positives", "Negatives"],
      rows: [["Share of the class", up, down]],
      marks: [],
      sentence: `${caption}: ${up} of the positives, ${down} of the negatives.`,
    };
  }

  function numbers() {
    const rows = positives.map((p, i) => [at[i], at[i + 1], p, negatives[i]]);
    return { caption: "Share of each class", columns: [["Score from", plain], ["Score to", plain], ["Positives", share], ["Negatives", share]], rows };
  }

  const plan = () => ({
    x: { from: edges[0], to: edges.at(-1), name },
    y: { from: -highest * 1.06, to: highest * 1.06, name: "Share of the class", word: (v) => percent(Math.abs(v)) },
    ratio: 0.6,
    says: [],
    legend: [["bars-positive", "positives, upward"], ["bars-negative", "negatives, downward"]],
    file: `scores-${models[k].name}`,
    draw: (chart) => {
      bars(chart, positives, 1, "bars-positive");
      bars(chart, negatives, -1, "bars-negative");
      chart.line("cross", [[edges[0], 0], [edges.at(-1), 0]]);
    },
    read, numbers,
  });
  new Chart(`scores-chart-${k}`, plan, (edges[0] + edges.at(-1)) / 2);
}
