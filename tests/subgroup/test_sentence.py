"""The first sentence on groups: pairs that are shown first, on random samples; its numbers."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from matplotlib.figure import Figure

import rocbands as rb
from rocbands.comparison.group_differences import pair_groups
from rocbands.subgroup.gaps import NAMES, GroupGap, GroupGaps
from rocbands.subgroup.limits import find_gaps


def compare(y, s, by, against="pairs"):
    """Differences of groups without bands, which take most of the time of `subgroups`."""
    curves = {str(name): rb.roc_curve(y[by == name], s[by == name]) for name in np.unique(by)}
    return find_gaps(
        pair_groups(curves, against),
        level=0.95,
        threshold=0.5,
        threshold_text="0.5",
        against=against,
        sizes={name: (roc.n_pos, roc.n_neg) for name, roc in curves.items()},
    )


def draw(rng, names, least=40):
    """Groups of up to 400 rows; in half of the samples all have the same rates."""
    apart = rng.random() < 0.5
    parts = []
    for name in names:
        size = int(rng.integers(least, 400))
        y = np.arange(size) % 2
        shift = rng.uniform(0.3, 2.5, 2) if apart else np.array([0.4, 1.5])
        parts.append(
            (y, rng.normal(size=size) + shift[0] * y + shift[1] - 1, np.repeat(name, size))
        )
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


def read_pairs(sentence):
    """Pairs that a sentence names as shown, by quantity, in their order."""
    found = {"tpr": [], "fpr": []}
    first = re.search(
        r"(finds|alarms on) .*? among (.+?) and .*? among (.+?): .* more than", sentence
    )
    if first:
        found["tpr" if first[1] == "finds" else "fpr"].append((first[2], first[3]))
    for where, listed in re.findall(r"Also shown( in false alarms)?: (.*?)\.(?= |$)", sentence):
        name = "fpr" if where or not found["tpr"] else "tpr"
        found[name] += re.findall(r"(\w+) and (\w+|the rest) \(", listed)
    return found


def is_shown(gap):
    return gap.low > 0 or gap.high < 0


def test_shown_pairs_come_first_largest_first() -> None:
    rng, said = np.random.default_rng(1), []
    for _ in range(60):
        gaps = compare(*draw(rng, list("fmkx")[: rng.integers(2, 5)]))
        sentence = gaps.sentence
        shown = {
            name: sorted(filter(is_shown, gaps.of(name)), key=lambda gap: -abs(gap.difference))
            for name in ("tpr", "fpr")
        }
        said.append(bool(shown["tpr"] or shown["fpr"]))
        assert ("may be chance" in sentence) != said[-1]
        assert ("more than chance" in sentence) == said[-1]
        named = read_pairs(sentence)
        for name, pairs in shown.items():
            most = 4 if name == "tpr" or not shown["tpr"] else 3
            assert named[name] == [gap.groups for gap in pairs[:most]]
            if len(pairs) > most:
                assert f", and {len(pairs) - most} more." in sentence
        known = {group for pairs in shown.values() for gap in pairs for group in gap.groups}
        small = {name for name, sizes in gaps.sizes.items() if min(sizes) < 30} - known
        for name in gaps.sizes:
            assert (f"{name} ({gaps.sizes[name][0]} positives, " in sentence) == (name in small)
    assert 10 < sum(said) < 50


def test_a_small_group_hides_no_pair() -> None:
    """Adding 20 rows removes a pair only if its limits contain 0 now, or four others are larger."""
    rng, kept, gone = np.random.default_rng(2), 0, 0
    for _ in range(60):
        y, s, by = draw(rng, list("fmk")[: rng.integers(2, 4)])
        before = read_pairs(compare(y, s, by).sentence)
        more = np.arange(20) % 2
        score = rng.normal(size=20) + rng.uniform(0, 2) * more
        joined = np.r_[y, more], np.r_[s, score], np.r_[by, np.repeat("x", 20)]
        after = compare(*joined)
        named, limits = read_pairs(after.sentence), {(g.quantity, g.groups): g for g in after}
        for name, pairs in before.items():
            for pair in pairs:
                gap = limits[name, pair]
                if pair in named[name]:
                    assert is_shown(gap)
                    kept += 1
                elif is_shown(gap):
                    others = [abs(limits[name, other].difference) for other in named[name]]
                    assert len(others) >= 3
                    assert min(others) >= abs(gap.difference)
                else:
                    gone += 1
    assert kept > 20
    assert gone > 0


def test_table_and_picture_have_the_order_of_the_sentence() -> None:
    rng = np.random.default_rng(5)
    y, s, by = draw(rng, list("fmkx"), 80)
    s = s + 1.2 * y * (by == "m")
    found = rb.subgroups(y, s, by=by, threshold=0.5, rng=1, n_resamples=100)
    gaps = found.gaps
    shown = read_pairs(found.sentence)["tpr"]
    assert shown
    rows = gaps.show()
    for name in ("auc", "tpr", "fpr"):
        own = [k for k, quantity in enumerate(rows["quantity"]) if quantity == NAMES[name]]
        order = [(rows["shown"][k] == "no", -abs(rows["difference"][k])) for k in own]
        assert order == sorted(order)
    first = rows["groups"][rows["quantity"].index("TPR")]
    assert first == " - ".join(shown[0])
    low = Figure(figsize=(7, 3)).subplots()
    gaps.plot(low)
    lines = [line for line in low.lines if type(line).__name__ == "IntervalLine"]
    drawn = {line.name.split(":")[0]: line for line in lines}
    for name in ("tpr", "fpr", "ppv"):
        best = gaps.rank(name)[0]
        line = drawn[NAMES[name]]
        assert line.name.endswith(
            f"{best.groups[0]}\N{NO-BREAK SPACE}\N{MINUS SIGN} {best.groups[1]}"
        )
        assert (line.get_color() == "0.55") == (not is_shown(best))
    title = found.plot().figure.get_suptitle().replace("\n", " ")
    shown = sum(is_shown(gap) for gap in gaps)
    assert f"{shown} of {len(gaps)} differences are more than chance" in title


def test_groups_against_one_of_them() -> None:
    rng = np.random.default_rng(3)
    y, s, by = draw(rng, list("fmk"), 80)
    how = {"by": by, "threshold": 0.5, "rng": 1, "n_resamples": 100}
    found = rb.subgroups(y, s, against="m", **how)
    assert [band.names for band in found.differences] == [("f", "m"), ("k", "m")]
    assert {gap.groups for gap in found.gaps} == {("f", "m"), ("k", "m")}
    # Two comparisons: each has the level of two, where three pairs have that of three.
    for gap in found.gaps.of("auc"):
        one, two = (rb.roc_curve(y[by == name], s[by == name]) for name in gap.groups)
        known = rb.compare(one, two, level=0.95 ** (1 / 2))
        assert (gap.low, gap.high) == pytest.approx((known.low, known.high), abs=1e-12)
    pairs = rb.subgroups(y, s, **how)
    value = found.differences[0].critical_value
    assert found.differences[1].critical_value == value <= pairs.differences[0].critical_value
    with pytest.raises(
        rb.InputError, match="'pairs', 'rest' or the name of a group: 'f', 'k', 'm'"
    ):
        rb.subgroups(y, s, against="q", **how)
    codes = np.searchsorted(np.array(list("fkm")), by)
    numbered = rb.subgroups(y, s, against=2, **(how | {"by": codes}))
    assert [gap.low for gap in numbered.gaps] == [
        next(
            g.low
            for g in found.gaps
            if (g.quantity, g.groups[0]) == (gap.quantity, "fkm"[int(gap.groups[0])])
        )
        for gap in numbered.gaps
    ]
    assert 'group "2"' in numbered.sentence


@pytest.mark.parametrize("way", ["pairs", "rest"])
def test_a_group_that_is_called_like_a_way_to_compare(way) -> None:
    rng = np.random.default_rng(3)
    y, s, by = draw(rng, ["a", "b", way], 80)
    found = rb.subgroups(y, s, by=by, against=way, rng=1, n_resamples=100)
    assert len(found.differences) == 3
    how = "in pairs" if way == "pairs" else "each with all others"
    assert any(
        f"A group is called '{way}', but groups were compared {how}." in n for n in found.notes
    )
    other = rb.subgroups(y, s, by=by, against="a", rng=1, n_resamples=100)
    assert {gap.groups[1] for gap in other.gaps} == {"a"}
    assert not any("A group is called" in note for note in other.notes)


def test_a_chosen_threshold_makes_the_same_calls_when_typed_back() -> None:
    rng = np.random.default_rng(4)
    for _ in range(5):
        y, s, by = draw(rng, list("fm"), 80)
        found = rb.subgroups(y, s, by=by, rng=1, n_resamples=100)
        text = re.match(r"At threshold (\S+), chosen", found.sentence)[1]
        assert text == found.threshold_text
        assert len(text) < 8
        again = rb.subgroups(y, s, by=by, threshold=float(text), rng=1, n_resamples=100)
        assert list(again.gaps) == list(found.gaps)


def state(*gaps, **about):
    """The sentence of given differences."""
    every = tuple(
        GroupGap(name, pair, (one, two), one - two, low, high, low <= 0 <= high)
        for name, pair, one, two, low, high in gaps
    )
    about = {"level": 0.95, "against": "pairs", "threshold": 0.5, "threshold_text": "0.5"} | about
    return GroupGaps(gaps=every, **about).sentence


def test_numbers_in_words() -> None:
    pair = ("f", "m")
    one = state(("tpr", pair, 0.51, 0.5, 0.0012, 0.0188), ("fpr", pair, 0.1, 0.1, -0.01, 0.01))
    assert one.endswith(
        "51.0% of positives among f and 50.0% among m: 1.0 points more (0.1 to 1.9), more than chance."
    )
    single = state(("tpr", pair, 0.51, 0.5, -0.1, 0.12))
    assert "the largest difference, 1 point (at most 12), may be chance." in single
    tiny = state(("fpr", pair, 0.0009, 0.0002, 3e-4, 1.1e-3))
    assert (
        "alarms on 0.09% of negatives among f and 0.02% among m: 0.07 points more (0.03 to 0.11)"
        in tiny
    )
    near = state(("tpr", pair, 0.9, 0.4, 4e-7, 0.9))
    assert "(less than 0.0001 to 90), more than chance" in near
    area = state(("auc", pair, 0.99997, 0.9, 1e-6, 0.2))
    assert area == (
        "The AUC is more than 0.9999 among f and 0.900 among m: 0.100 higher (less than 0.0001 to "
        "0.200), more than chance."
    )
    equal = state(("auc", pair, 0.8, 0.8, -0.05, 0.05))
    assert "-0.0" not in equal
    assert "the largest difference, 0.000 (at most 0.050), may be chance" in equal


def test_small_groups_in_words() -> None:
    names = list("abcdef")
    gaps = [("tpr", pair, 0.5, 0.5, -0.4, 0.4) for pair in combinations(names, 2)]
    said = state(*gaps, sizes={"a": (1, 40), **dict.fromkeys(names[1:], (10, 200))})
    assert said.endswith(
        "a (1 positive, 40 negatives), b (10 positives, 200 negatives), c (10 positives, 200 "
        "negatives) and 3 others are too small to tell."
    )
    said = state(*gaps, sizes=dict.fromkeys(names, (30, 30)))
    assert "too small" not in said
    labels = {"positive": "ill", "negative": "well", "sizes": {"a": (40, 1), "b": (99, 99)}}
    assert "a (40 ill cases, 1 well one) is too small to tell." in state(*gaps, **labels)
    few = state(*gaps, clusters=9)
    assert few.startswith("The rows come from only 9 clusters, so that little is known for sure;")
    assert "clusters" not in state(*gaps, clusters=10)
