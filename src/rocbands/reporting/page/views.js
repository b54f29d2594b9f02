// The same curve and band in other coordinates, at a share p of positives.

const VIEWS = {
  roc: { words: "ROC" },
  pr: {
    words: "Precision-recall", x: "Recall", y: "Precision", reads: "a recall",
    place: ([fpr, tpr], p) => [tpr, tpr ? (p * tpr) / (p * tpr + (1 - p) * fpr) : fpr ? 0 : 1],
    guess: (p) => [[0, p], [1, p]],
  },
  gains: {
    words: "Gains", x: "Share of the cases called positive", y: "Share of the positives found", reads: "a share called positive",
    place: ([fpr, tpr], p) => [p * tpr + (1 - p) * fpr, tpr],
    guess: () => [[0, 0], [1, 1]],
  },
};
const FINE = 80; // pieces of a line across the square: straight lines may bend

// Points of a rising line in a view. An edge that ends below 1, or begins above 0, goes on upright.
function viewed(view, points, p) {
  const whole = [[0, 0], ...points, [1, 1]];
  const found = [];
  whole.forEach(([x, y], i) => {
    const [u, v] = whole[i - 1] ?? [x, y];
    const parts = Math.max(1, Math.ceil(FINE * Math.max(Math.abs(x - u), Math.abs(y - v))));
    for (let k = 1; k <= parts; k += 1) {
      found.push(view.place([u + ((x - u) * k) / parts, v + ((y - v) * k) / parts], p));
    }
  });
  return found;
}

// Height at x; where the line is upright, the first that it comes to.
function readPoints(points, x) {
  const i = points.findIndex(([at]) => at >= x - 1e-9);
  if (i <= 0) return points.at(i)[1];
  const [[u, v], [s, t]] = [points[i - 1], points[i]];
  return s > u ? v + ((x - u) / (s - u)) * (t - v) : t;
}
