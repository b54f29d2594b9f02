"""Studentised bands and fold averages, each against a plain loop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import rocbands as rb
from rocbands.core.curve import Curve
from rocbands.core.region import between_lines
from rocbands.resample.population import Population, smooth_rows
from tests.oracles.resamples import points, where
from tests.populations import draw_binormal


def sample(n_pos: int, n_neg: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(1, 1, n_pos), rng.normal(0, 1, n_neg)])
    return np.repeat([1, 0], [n_pos, n_neg]), scores


class TestBetweenLines:
    def test_a_band_of_constant_push_is_the_displaced_curve(self) -> None:
        roc = rb.roc_curve(*sample(15, 30))
        slope, dx = 0.8, 0.07
        own = roc.curve.level(slope)
        c = np.union1d(own, np.linspace(0, 1 + slope, 20001))
        x = np.interp(c, own, roc.curve.x)
        region = between_lines(c, x - dx, x + dx, slope)
        from rocbands.core.region import DisplacedRegion

        whole = DisplacedRegion(roc.curve, dx, slope)
        at = np.linspace(0, 1, 301) + 1e-4 * math.pi
        at = at[at < 1]
        # Where an edge jumps a hair decides which end is read; there are few such places.
        near = 1e-3
        for ours, theirs in (
            (region.upper_at(at), (whole.upper_at(at - near), whole.upper_at(at + near))),
            (region.lower_at(at), (whole.lower_at(at - near), whole.lower_at(at + near))),
        ):
            assert (ours >= theirs[0] - near).all()
            assert (ours <= theirs[1] + near).all()

    def test_limits_that_turn_back_are_drawn_in(self) -> None:
        c = np.linspace(0, 2, 5)
        left = np.array([0.0, 0.4, 0.1, 0.6, 1.0])
        right = np.array([0.0, 0.5, 0.9, 0.8, 1.0])
        region = between_lines(c, left, right, 1.0)
        for edge in region.edges():
            assert (np.diff(edge.x) >= 0).all()
            assert (np.diff(edge.y) >= 0).all()
        inside = Curve(np.array([0, 0.45, 0.45, 0.7, 1]), np.array([0, 0.05, 0.5, 0.8, 1]))
        assert region.contains(inside)
        outside = Curve(np.array([0, 0.35, 0.35, 0.7, 1]), np.array([0, 0.15, 0.5, 0.8, 1]))
        assert not region.contains(outside)

    def test_a_mirrored_region_holds_the_mirrored_curve(self) -> None:
        band = rb.roc_band(*sample(12, 40), method="sup-t", rng=1)
        curve = Curve(np.array([0, 0.1, 1]), np.array([0, 0.6, 1]))
        low = Curve(np.array([0, 0.5, 1]), np.array([0, 0.2, 1]))
        for each in (curve, low):
            assert band.region.contains(each) == band.region.mirrored.contains(each.mirrored)


class TestSupT:
    def test_bands_are_nested_in_the_level_where_limits_turn_back(self) -> None:
        # The second set: its limits turn back near fpr .005, where .9 left .95 by .002 once.
        for seed in (3, 26):
            rng = np.random.default_rng(seed)
            n = rng.integers(10, 120)
            y = rng.integers(0, 2, n)
            y[:2] = [0, 1]
            s = np.round(rng.normal(y * rng.uniform(0, 3)), rng.integers(0, 4))
            narrow, wide = rb.bands.SupT().at_levels(rb.roc_curve(y, s), [0.9, 0.95], rng=seed)
            at = np.linspace(0, 1, 2001)
            assert (wide.lower_at(at) <= narrow.lower_at(at) + 1e-9).all()
            assert (wide.upper_at(at) >= narrow.upper_at(at) - 1e-9).all()

    @pytest.mark.simulation
    def test_the_factor_agrees_with_a_plain_loop(self) -> None:
        n_pos, n_neg = 20, 30
        roc = rb.roc_curve(*sample(n_pos, n_neg))
        band = rb.bands.SupT(n_resamples=2000, stratified=True)(roc, level=0.9, rng=1)
        factor = float(band.notes[0].split()[0])
        world = smooth_rows(Population.from_curve(roc)).curve
        slope = math.sqrt(n_neg / n_pos)
        x, y = world.x, world.y
        xs, ys = (n_neg * x + 1) / (n_neg + 2), (n_pos * y + 1) / (n_pos + 2)
        dx, dy = np.gradient(x), np.gradient(y)
        variance = dy**2 * xs * (1 - xs) / n_neg + dx**2 * ys * (1 - ys) / n_pos
        sd = np.sqrt(variance) / (slope * dx + dy)
        lines = y + slope * x
        rng, most = np.random.default_rng(5), []
        place = np.arange(x.size, dtype=float)
        for _ in range(400):
            neg = np.interp(rng.random(n_neg), x, place)
            pos = np.interp(rng.random(n_pos), y, place)
            path = points(np.repeat([0, 1], [n_neg, n_pos]), -np.concatenate([neg, pos]))
            at = np.concatenate((lines, [b + slope * a for a, b in path]))
            own = np.array([where(path, c, slope) for c in at])
            apart = np.abs(own - np.interp(at, lines, x)) / np.interp(at, lines, sd)
            most.append(apart.max())
        share = np.mean(np.array(most) <= factor)
        assert abs(share - 0.9) < 4 * math.sqrt(0.09 * (1 / 400 + 1 / 2000))

    def test_the_width_follows_the_noise(self) -> None:
        band = rb.roc_band(*sample(200, 200), method="sup-t", rng=1)
        fixed = rb.roc_band(*sample(200, 200), method="fixed-width", rng=1)
        assert band.area < fixed.area
        assert band.upper_at(0.001) < fixed.upper_at(0.001)

    def test_a_hundred_thousand_rows_are_no_burden(self) -> None:
        band = rb.roc_band(
            *sample(30_000, 70_000), method=rb.bands.SupT(n_resamples=50), level=0.9, rng=1
        )
        assert 0.005 < band.area < 0.03


class TestFoldAverage:
    def folds(self, sizes: list[tuple[int, int]]):
        rows = [sample(*size, seed) for seed, size in enumerate(sizes)]
        labels, scores = (np.concatenate([row[i] for row in rows]) for i in (0, 1))
        return labels, scores, np.repeat(np.arange(len(sizes)), [sum(size) for size in sizes])

    def test_the_area_under_the_average_is_the_average_area(self) -> None:
        labels, scores, folds = self.folds([(20, 25), (30, 20), (25, 40)])
        band = rb.roc_band(rb.Sample(labels, scores, folds=folds), rng=1)
        areas = [fold.auc for fold in band.roc.folds]
        assert len(areas) == 3
        assert band.auc == pytest.approx(np.mean(areas), abs=2e-3)
        assert band.to_dict()["auc"] == band.auc
        assert band.method == rb.bands.FoldAverage()

    def test_folds_are_not_pooled(self) -> None:
        """Shifting one fold's scores changes the pooled curve and nothing else."""
        labels, scores, folds = self.folds([(20, 25), (30, 20)])
        one = rb.roc_band(rb.Sample(labels, scores, folds=folds), rng=1)
        other = rb.roc_band(rb.Sample(labels, scores + 100 * folds, folds=folds), rng=1)
        at = np.linspace(0, 1, 21)
        np.testing.assert_array_equal(one.lower_at(at), other.lower_at(at))
        assert one.roc.auc != other.roc.auc

    def test_each_target_is_named(self) -> None:
        labels, scores, folds = self.folds([(20, 25), (30, 20), (20, 20), (20, 20)])
        models = rb.roc_band(rb.Sample(labels, scores, folds=folds), rng=1)
        learner = rb.roc_band(
            rb.Sample(labels, scores, folds=folds), method=rb.bands.FoldAverage(of="learner"), rng=1
        )
        assert "average of 4 models' true curves" in str(models)
        assert "average curve of the learner, from 4 training sets" in " ".join(
            str(learner).split()
        )
        assert learner.area > models.area
        assert rb.roc_band(labels, scores, method="fold-average", rng=1).target == "true curve"

    def test_whole_clusters_within_folds(self) -> None:
        labels, scores, folds = self.folds([(20, 20), (20, 20)])
        twice = [np.concatenate([side, side]) for side in (labels, scores, folds)]
        own = np.tile(np.arange(labels.size), 2)
        once = rb.roc_band(rb.Sample(labels, scores, folds=folds), rng=1, level=0.9)
        clustered = rb.roc_band(
            rb.Sample(*twice[:2], folds=twice[2], clusters=own), rng=1, level=0.9
        )
        loose = rb.roc_band(rb.Sample(*twice[:2], folds=twice[2]), rng=1, level=0.9)
        assert clustered.area == pytest.approx(once.area, rel=0.15)
        assert loose.area < 0.85 * clustered.area

    @pytest.mark.simulation
    def test_large_samples_are_held_up_to_the_corners(self) -> None:
        rng, held = np.random.default_rng(5), 0
        for _ in range(12):
            sets = [draw_binormal(rng, 2.0, 2000, 2000) for _ in range(5)]
            labels, scores = (np.concatenate(columns) for columns in zip(*sets, strict=True))
            band = rb.roc_band(
                rb.Sample(labels, scores, folds=np.repeat(np.arange(5), 4000)),
                method=rb.bands.FoldAverage(n_resamples=99),
                level=0.9,
                rng=1,
            )
            held += band.contains(lambda fpr: ndtr((4.0 + 3.0 * ndtri(fpr)) / 3.75))
        assert held >= 8

    @pytest.mark.parametrize("sizes", [(100, 30_000), (30_000, 100), (20_000, 20_000)])
    def test_the_curve_itself_is_inside_however_unequal_the_classes(self, sizes) -> None:
        band = rb.roc_band(*sample(*sizes), method="fold-average", rng=1)
        assert band.contains(band.roc)

    def test_clusters_must_be_many_and_lie_within_folds(self) -> None:
        labels, scores, folds = self.folds([(20, 20), (20, 20)])
        with pytest.raises(rb.InputError, match=r"at least 5 of them.*a fold has 1"):
            rb.roc_band(rb.Sample(labels, scores, folds=folds, clusters=folds))
        with pytest.raises(rb.InputError, match="the test set has 2"):
            rb.roc_band(rb.Sample(labels, scores, clusters=folds), method="fixed-width")
        with pytest.raises(rb.InputError, match="40 clusters are in several"):
            rb.roc_band(rb.Sample(labels, scores, folds=folds, clusters=np.tile(np.arange(40), 2)))
        with pytest.raises(rb.InputError, match="clusters within folds have no effect"):
            rb.roc_band(
                rb.Sample(labels, scores, folds=folds, clusters=np.arange(80) // 2),
                method="vertical",
            )

    def test_too_few_folds_for_a_learner(self) -> None:
        labels, scores, folds = self.folds([(20, 25), (30, 20)])
        with pytest.raises(rb.InputError, match="needs at least 3 folds"):
            rb.roc_band(
                rb.Sample(labels, scores, folds=folds), method=rb.bands.FoldAverage(of="learner")
            )
        with pytest.raises(rb.InputError, match="`of` must be one of models, learner"):
            rb.bands.FoldAverage(of="both")
