"""Two models' scores, checked: of the same rows, or each of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rocbands.core.checks import BoolArray, CountArray, IndexArray, check_flag
from rocbands.core.delong import ClassGroups
from rocbands.core.randomness import (
    digest_arguments,
    join_keys,
    key_models,
    key_rows,
    sort_keys,
    sum_keys,
)
from rocbands.core.scores import PairedScores, Scores, number_groups, read_two_sets
from rocbands.core.ties import find_levels
from rocbands.errors import InputError, arg


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models' scores."""

    # one, two: the models.
    one: Scores
    two: Scores
    paired: bool = True  # whether row i of both is the same case
    # (n,) which group each row is in, numbered from 0; only of the same rows.
    groups: CountArray | None = None

    @classmethod
    def from_rows(
        cls,
        y_true: Any,
        y_score_1: Any,
        y_score_2: Any,
        *,
        groups: Any = None,
        positive: object = None,
    ) -> Pair:
        """Check two models' scores of the same rows."""
        scores = {"y_score_1": y_score_1, "y_score_2": y_score_2}
        models = PairedScores.from_columns(y_true, scores, positive=positive, own=False)
        return cls.from_scores(models, groups)

    @classmethod
    def from_scores(cls, models: PairedScores, groups: Any = None) -> Pair:
        """Take two models whose scores are checked already; `groups` are not."""
        one, two = map(models.lend, models.names)
        return cls(one, two, groups=None if groups is None else number_groups(groups, one))

    @classmethod
    def from_two_sets(
        cls,
        y_true: Any,
        y_score_1: Any,
        y_true_2: Any,
        y_score_2: Any,
        *,
        positive: object = None,
    ) -> Pair:
        """Check two models' scores, each with labels of its own."""
        one, two = read_two_sets(y_true, y_score_1, y_true_2, y_score_2, positive=positive)
        return cls(one, two, paired=False)

    @staticmethod
    def check_paired(paired: Any, y_true_2: Any, groups: Any) -> None:
        """Refuse what does not go with models of the same rows, or of different ones."""
        check_flag(paired, "paired")
        if paired and y_true_2 is not None:
            raise InputError(f"{arg('y_true_2')} is for {arg('paired', False)}. Leave it out.")
        if not paired and groups is not None:
            raise InputError(
                f"{arg('groups')} is for models that scored the same rows. Leave it out, or "
                "compare on the same rows."
            )

    @property
    def test_sets(self) -> tuple[Scores, ...]:
        """The independent test sets: one that both models scored, or two."""
        return (self.one,) if self.paired else (self.one, self.two)

    @property
    def smallest_class(self) -> int:
        """Size of the smallest class."""
        return min(size for s in self.test_sets for size in (s.n_pos, s.n_neg))

    @property
    def class_groups(self) -> ClassGroups | None:
        """Groups of the positives and of the negatives, where there are groups."""
        return split_groups(self.one.is_positive, self.groups)

    @property
    def ranked_alike(self) -> bool:
        """Whether both models order the same rows alike, ties included."""
        if not self.paired:
            return False
        one, two = (find_levels(s.values).double_midranks for s in (self.one, self.two))
        return bool(np.array_equal(one, two))

    @cached_property
    def _levels(self) -> tuple[IndexArray, IndexArray]:
        """Level of each row's score among the distinct ones, by both models."""
        return find_levels(self.one.values).level, find_levels(self.two.values).level

    @cached_property
    def _keys(self) -> tuple[int, int]:
        """A number for each model, whatever the order of rows, and whichever model is first."""
        one, two = (
            key_rows(level, s.is_positive)
            for level, s in zip(self._levels, (self.one, self.two), strict=True)
        )
        if not self.paired:
            return key_models([one])[0], key_models([two])[0]
        size = 0 if self.groups is None else int(self.groups.max()) + 1
        first, second = key_models([one, two], self.groups, size)
        return first, second

    @property
    def digest(self) -> int:
        """Digest of the rows; that of the exchanged models is the same."""
        return digest_arguments(self.paired, self.groups is not None, *sorted(self._keys))

    @property
    def turned(self) -> bool:
        """Whether random methods take the models in the other order."""
        return self._keys[0] > self._keys[1]

    def exchange(self) -> Pair:
        """Return the models in the other order."""
        turned = replace(self, one=self.two, two=self.one)
        for name in ("_levels", "_keys"):
            if name in vars(self):
                vars(turned)[name] = vars(self)[name][::-1]
        return turned

    def sort_rows(self) -> Pair:
        """Put the rows in an order that depends on what they contain, not on where they were.

        Groups are numbered in such an order, too, and levels take the place of scores. Random draws
        then depend neither on the order of rows, nor on names of groups or the scale of scores.
        """
        one, two = (
            replace(s, values=level)
            for level, s in zip(self._levels, (self.one, self.two), strict=True)
        )
        if not self.paired:
            one, two = (_take_rows(s, np.lexsort((s.values, s.is_positive))) for s in (one, two))
            return Pair(one, two, paired=False)
        groups, keys = self.groups, [two.values, one.values, one.is_positive]
        if groups is not None:
            rows = join_keys(*keys)
            groups = sort_keys(sum_keys(rows, groups, int(groups.max()) + 1))[1][groups]
            keys.append(groups)
        order = np.lexsort(keys)
        groups = None if groups is None else groups[order]
        return Pair(_take_rows(one, order), _take_rows(two, order), groups=groups)


def read_pair(
    y_true: Any,
    y_score_1: Any,
    y_score_2: Any,
    *,
    paired: bool,
    y_true_2: Any,
    groups: Any,
    positive: object,
) -> Pair:
    """Check two models' scores of the same rows, or of two test sets."""
    Pair.check_paired(paired, y_true_2, groups)
    if paired:
        return Pair.from_rows(y_true, y_score_1, y_score_2, groups=groups, positive=positive)
    return Pair.from_two_sets(y_true, y_score_1, y_true_2, y_score_2, positive=positive)


def _take_rows(scores: Scores, rows: IndexArray) -> Scores:
    return replace(scores, is_positive=scores.is_positive[rows], values=scores.values[rows])


def split_groups(is_positive: BoolArray, groups: CountArray | None) -> ClassGroups | None:
    """Split the groups of rows by class; each class must come from two groups or more."""
    if groups is None:
        return None
    split = ClassGroups(groups[is_positive], groups[~is_positive])
    for name, codes in (("positives", split.pos), ("negatives", split.neg)):
        if (codes == codes[0]).all():
            raise InputError(
                f"The {name} must come from at least two groups",
                "all are in one",
                "A variance between groups needs more of them.",
            )
    return split
