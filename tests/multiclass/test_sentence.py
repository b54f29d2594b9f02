"""The first sentence on several classes."""

import numpy as np
from sklearn.metrics import roc_auc_score

import rocbands as rb


def test_classes_are_described_by_pairs_that_are_ranked_correctly() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat(["cat", "dog", "owl"], 60)
    scores = rng.normal(size=(180, 3)) + 1.5 * (y[:, None] == np.unique(y))
    found = rb.class_bands(y, scores)
    areas = [roc_auc_score(y == name, scores[:, k]) for k, name in enumerate(np.unique(y))]
    low, high = (round(100 * end) for end in (found.macro_auc.low, found.macro_auc.high))
    worst = np.unique(y)[int(np.argmin(areas))]
    assert found.sentence == (
        f"Of 100 pairs of a case of one class and a case of another, {100 * np.mean(areas):.0f} are "
        f"ranked correctly on average over 3 classes ({low} to {high}); {worst} is the hardest to "
        f"tell from the others ({100 * min(areas):.0f})."
    )
    pairs = rb.class_bands(y, scores, multi_class="ovo")
    assert " are the hardest to tell apart (" in pairs.sentence
