"""The first sentence on several classes."""

import numpy as np
from sklearn.metrics import roc_auc_score

import rocbands as rb


def test_classes_are_described_by_pairs_that_are_ranked_correctly() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat(["cat", "dog", "owl"], 60)
    scores = rng.normal(size=(180, 3)) + 1.5 * (y[:, None] == np.unique(y))
    found = rb.class_bands(y, scores)
    areas = {name: roc_auc_score(y == name, scores[:, k]) for k, name in enumerate(np.unique(y))}
    low, high = (round(100 * end) for end in (found.macro_auc.low, found.macro_auc.high))
    mean, (worst, *_, best) = np.mean([*areas.values()]), sorted(areas, key=areas.__getitem__)
    assert found.sentence == (
        f"Of 100 pairs of a case of a class and a case of any other, {100 * mean:.0f} are ranked "
        f"correctly on average over 3 classes ({low} to {high}). AUCs of the classes range from "
        f"{areas[worst]:.3f} ({worst}) to {areas[best]:.3f} ({best})."
    )
    pairs = rb.class_bands(y, scores, multi_class="ovo")
    average, pair = pairs.hand_till_auc, pairs.names[int(np.argmin(pairs.auc))]
    assert (
        f", {100 * average.estimate:.0f} are ranked correctly on average over the pairs of 3 "
        in (pairs.sentence)
    )
    assert f"AUCs of the pairs range from {pairs.auc.min():.3f} ({pair}) to " in pairs.sentence


def test_a_class_is_called_hardest_only_where_joint_limits_show_it() -> None:
    rng = np.random.default_rng(4)
    shown = []
    for _ in range(20):
        y = np.repeat(["cat", "dog", "owl"], rng.integers(30, 200, 3))
        own = y[:, None] == np.array(["cat", "dog", "owl"])
        scores = rng.normal(size=own.shape) + own * rng.uniform(0.2, 3.5, 3)
        found = rb.class_bands(y, scores)
        worst = int(np.argmin(found.auc))
        below = all(found.auc_upper[worst] < np.delete(found.auc_lower, worst))
        shown.append(below)
        assert ("is the hardest to tell from the others" in found.sentence) == below
        assert ("AUCs of the classes range from" in found.sentence) != below
        if below:
            assert f"{found.positive[worst]} is the hardest" in found.sentence
    assert 3 < sum(shown) < 17


def test_names_and_numbers_of_classes() -> None:
    y = np.repeat([0, 1], 40)
    scores = np.c_[-np.arange(80), np.arange(80)]
    said = rb.class_bands(y, scores).sentence
    assert "of any other, 100 are ranked correctly on average over 2 classes (9" in said
    assert said.endswith("The AUC of all classes is 1.000.")
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2], 60)
    said = rb.class_bands(y, rng.normal(size=(180, 3)) + 2 * (y[:, None] == np.arange(3))).sentence
    assert 'class "' in said


def test_columns_in_another_order_are_asked_about_first() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat(["cat", "dog", "owl"], 60)
    scores = rng.normal(size=(180, 3)) + 3.0 * (y[:, None] == np.unique(y))
    found = rb.class_bands(y, scores[:, [1, 2, 0]])
    asked = (
        "Are the columns of scores in the order of the classes cat, dog and owl? The AUC is below"
    )
    assert found.sentence.startswith(f"{asked} 0.5 for ")
    assert "Pass another order by classes=[...]. Of 100 pairs" in found.sentence
    assert str(found).replace("\n", " ").count(asked) == 1
    assert rb.report(found, path=None).headline[0].startswith(asked)
    for right in (
        rb.class_bands(y, scores),
        rb.class_bands(y, scores[:, [1, 2, 0]], classes=["dog", "owl", "cat"]),
        rb.class_bands(y, rng.normal(size=(180, 3))),
    ):
        assert "Are the columns" not in right.sentence
        assert not right.notes
