"""The comparisons of a reader study, and what each method says about them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from rocbands.comparison.method import divide_gap
from rocbands.core.comparison import Comparison
from rocbands.core.interval import Interval
from rocbands.core.method import Alternative
from rocbands.errors import InputError, Message, arg, in_python
from rocbands.readers.bounded import Bounded
from rocbands.readers.contrast import (
    Components,
    Contrast,
    contrast_algorithm,
    contrast_readers,
    contrast_test,
    contrast_tests,
    find_components,
)
from rocbands.readers.influence import Estimates, Metric
from rocbands.readers.method import RANDOM, Random, ReaderMethod, ReaderRequest
from rocbands.readers.notes import note_study
from rocbands.readers.readings import Readings
from rocbands.readers.result import Inference, ReaderStudy


class Target(NamedTuple):
    """A mean or a difference that is estimated."""

    names: tuple[str, ...]  # of a test; or of the two sides of a difference
    contrast: Contrast

    def can_have(self, random: Random) -> bool:
        """Tell whether there are enough readers for what is random."""
        return random == "cases" or min(self.contrast.n_readers) > 1


class Answer(NamedTuple):
    """What a method says about a target, in the units of the metric."""

    inference: Inference
    method: ReaderMethod
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Analysis:
    """All means and differences of a study, by one method."""

    readings: Readings
    cells: Estimates
    metric: Metric
    method: ReaderMethod
    request: ReaderRequest
    algorithm: int | None  # its place among the readers
    margin: float | None
    null: float | None  # of means

    def report(self) -> ReaderStudy:
        """Find all results."""
        notes = list(self._note_thresholds())
        components = self._find_components(notes)
        means = [
            Target((self.readings.tests[test],), contrast_test(self.cells, test, readers))
            for test, readers in self.readers_of.items()
        ]
        if self.algorithm is None:
            pairs = list(self._pair_tests(components, notes))
        else:
            pairs = list(self._pair_algorithm(notes))
        for target in (*means, *pairs):
            self._check_readers(target)
        answers = self._answer_all([*pairs, *means])
        of_pairs, of_means = (
            [answers[target, self.request.random] for target in targets]
            for targets in (pairs, means)
        )
        for answer in (*of_pairs, *of_means):
            notes += [note for note in answer.notes if note not in notes]
        differences = tuple(map(self._make_comparison, pairs, of_pairs))
        by_reader = dict(self._compare_readers())
        joint = None
        if components is not None and self.algorithm is None and components.n_tests > 2:
            joint = self.method.judge_joint(components, self.request.random)
        study = ReaderStudy(
            **self._describe(),
            **self._tabulate_readers(),
            algorithm_areas=tuple(self._judge_algorithm()),
            means=tuple(
                self._make_interval(f"{target.names[0]}, mean over readers", answer)
                for target, answer in zip(means, of_means, strict=True)
            ),
            differences=differences,
            holm=adjust_by_holm([one.pvalue for one in differences]),
            joint=joint,
            components={} if components is None else self._record(components),
            by_reader=tuple(by_reader.values()),
            reader_names=tuple(by_reader),
            inferences=tuple(
                answers[target, random].inference
                for target in (*means, *pairs)
                for random in RANDOM
                if (target, random) in answers
            ),
        )
        return replace(study, notes=(*notes, *note_study(study)))

    def _describe(self) -> dict[str, Any]:
        """Return the attributes of a result that say what was analysed, and how."""
        readings, request, method = self.readings, self.request, self.method
        return {
            "readings": readings,
            "design": readings.design,
            "tests": tuple(readings.tests[test] for test in self.readers_of),
            "readers": tuple(readings.readers[reader] for reader in self.readers),
            "algorithm": None if self.algorithm is None else readings.readers[self.algorithm],
            **{"n_pos": readings.n_pos, "n_neg": readings.n_neg, "frame": readings.frame},
            **{"metric": self.metric.kind, "quantity": self.metric.quantity},
            **{"method": method.name, "parameters": method.parameters},
            **{"random": request.random, "level": request.level},
            **{"alternative": request.alternative, "margin": self.margin, "null": self.null},
        }

    # ------------------------------------------------------------------- readers and their tests

    @cached_property
    def readers(self) -> list[int]:
        """All readers but the algorithm."""
        return [reader for reader in range(len(self.readings.readers)) if reader != self.algorithm]

    @cached_property
    def readers_of(self) -> dict[int, list[int]]:
        """Those who read each test; a test that only the algorithm read is left out."""
        tests = range(len(self.readings.tests))
        found = {i: [j for j in self.readers if (i, j) in self.cells.index] for i in tests}
        return {test: readers for test, readers in found.items() if readers}

    @cached_property
    def algorithm_cells(self) -> dict[int, tuple[int, int]]:
        """The cell of the algorithm that is compared with the readers of each test.

        An algorithm that read one test only, which no reader read, is compared under all tests.
        """
        if self.algorithm is None:
            return {}
        own = [test for test, reader in self.cells.index if reader == self.algorithm]
        common = [test for test in self.readers_of if test in own]
        if common:
            return {test: (test, self.algorithm) for test in common}
        if len(own) > 1:
            raise InputError(
                "The algorithm must have read a test that readers read, or one test only",
                f"{self.readings.readers[self.algorithm]!r} read {len(own)} tests of its own",
                Message("Leave out all but one{}.", in_python(": see take()", "take")),
            )
        return dict.fromkeys(self.readers_of, (own[0], self.algorithm))

    def _note_thresholds(self) -> Iterator[str]:
        """Note thresholds that all readings of a test are above, or below."""
        for test in self.readers_of if self.metric.thresholds else ():
            cut, scores = self.metric.thresholds[test], self.readings.scores[test]
            low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
            if not low < cut <= high:
                yield (
                    f"{'No reading' if high < cut else 'Every reading'} under "
                    f"{self.readings.tests[test]!r} is at or above {cut:g}; scores are from "
                    f"{low:g} to {high:g}."
                )

    def _find_components(self, notes: list[str]) -> Components | None:
        """Find the components of all tests, if all pairs of tests are alike."""
        read = list(self.readings.read[:, self.readers].max(axis=1))  # cases of each test
        if len(self.readers_of) < len(read):
            return None
        shared = {np.count_nonzero(one & two) for one, two in combinations(read, 2)}
        if len(shared) > 1:
            notes.append(
                "Pairs of tests share different numbers of cases: there is no joint test, and "
                "there are no components of variance."
            )
            return None
        return find_components(self.cells, self.readers, len(read))

    def _record(self, components: Components) -> dict[str, float]:
        """Return components in the units of the metric, and the numbers of the study."""
        scale = self.metric.width**2
        return {name: scale * value for name, value in components.variances.items()} | {
            "cases": float(self.readings.n_cases),
            "n_readers": float(components.n_readers),
            "n_tests": float(components.n_tests),
        }

    # -------------------------------------------------------------------------------- comparisons

    def _pair_tests(self, components: Components | None, notes: list[str]) -> Iterator[Target]:
        """All pairs of tests."""
        for (i, of_one), (k, of_two) in combinations(self.readers_of.items(), 2):
            names = self.readings.tests[i], self.readings.tests[k]
            pair = f"{names[0]!r} minus {names[1]!r}"
            both = [reader for reader in of_one if reader in of_two]
            if not both:
                notes.append(f"No reader read both tests: {pair} compares different readers.")
                yield Target(names, contrast_readers(self.cells, (i, k), (of_one, of_two)))
                continue
            every = {*of_one, *of_two}
            for name, readers in zip(names, (of_one, of_two), strict=True):
                if number := len(every) - len(readers):
                    notes.append(
                        f"{number} of {len(every)} readers did not read {name!r} and "
                        f"{'is' if number == 1 else 'are'} left out of {pair}."
                    )
            contrast = contrast_tests(self.cells, (i, k), both)
            if components is not None and components.n_tests > 2:
                floor = max(contrast.floor, components.floor)
                contrast = replace(contrast, pooled=components.pooled, floor=floor)
            yield Target(names, contrast)

    def _pair_algorithm(self, notes: list[str]) -> Iterator[Target]:
        """Compare the algorithm with the readers of each test that it read."""
        tests, several = self.readings.tests, len(self.readers_of) > 1
        for test, cell in self.algorithm_cells.items():
            readers = self.readers_of[test]
            by_readers = self.readings.read[test, readers].any(axis=0)
            if lacking := int(np.count_nonzero(by_readers & ~self.readings.read[cell])):
                notes.append(
                    f"The algorithm lacks {lacking} of {np.count_nonzero(by_readers)} cases that "
                    f"readers read under {tests[test]!r}."
                )
            names = self.readings.readers[cell[1]], f"readers, {tests[test]}" * several or "readers"
            yield Target(names, contrast_algorithm(self.cells, cell, test, readers))
        unread = [repr(tests[i]) for i in self.readers_of if i not in self.algorithm_cells]
        if unread:
            notes.append(f"The algorithm did not read {', '.join(unread)}.")

    def _check_readers(self, target: Target) -> None:
        if not target.can_have(self.request.random):
            name, several = " minus ".join(map(repr, target.names)), len(self.readings.readers) > 1
            hint = in_python("; name a stand-alone algorithm by algorithm=", "algorithm")
            raise InputError(
                "Readers can stand for others only if there are two or more",
                f"one was found{f' for {name}' * several}",
                Message("Pass {}{}.", arg("random", "cases"), hint if several else ""),
            )

    # ------------------------------------------------------------------------------------ answers

    def _answer_all(self, targets: list[Target]) -> dict[tuple[Target, Random], Answer]:
        """Judge each target with readers, cases or both as random, where that is possible."""
        found = {}
        for target in targets:
            for random in RANDOM:
                if not target.can_have(random):
                    continue
                try:
                    found[target, random] = self._answer(target, random, self.method)
                except InputError:  # an unbiased variance that is not positive
                    if random == self.request.random:
                        raise
        return found

    def _answer(self, target: Target, random: Random, method: ReaderMethod) -> Answer:
        """Judge a mean against `null`, a difference against 0 or minus the margin."""
        contrast, width = target.contrast, self.metric.width
        request, tested = replace(self.request, random=random), True
        if contrast.sides is None:
            null, tested = (self.null or 0.0) / width, self.null is not None
            request = replace(request, null=null, alternative=self._side_of_means)
        found = method.judge(contrast, request)
        error, low, high = math.sqrt(found.variance), found.low * width, found.high * width
        estimate = contrast.estimate * width
        if contrast.sides is not None:  # the same to the last digit as the difference of both means
            one, two = self._find_sides(contrast)
            estimate = contrast.estimate and min(max(one - two, low), high)
        inference = Inference(
            target=" minus ".join(target.names),
            random=random,
            estimate=estimate,
            low=low,
            high=high,
            standard_error=error * width,
            df=found.df,
            statistic=divide_gap(contrast.estimate - request.null, error) if tested else None,
            pvalue=found.pvalue if tested else None,
        )
        return Answer(inference, method, found.notes)

    def _find_sides(self, contrast: Contrast) -> tuple[float, float]:
        """Return the two means of a difference."""
        assert contrast.sides is not None
        one, two = contrast.sides
        return one.estimate * self.metric.width, two.estimate * self.metric.width

    @cached_property
    def cells_alone(self) -> Estimates:
        """Cells with a covariance that cannot be negative, for single readers: no mean helps."""
        return replace(self.cells, unbiased=None)

    def _answer_alone(self, target: Target) -> Answer:
        """Judge one reader, or the algorithm, with cases as random."""
        return self._answer(target, "cases", Bounded())

    @property
    def _side_of_means(self) -> Alternative:
        """A margin makes differences one-sided, but not means."""
        return "two-sided" if self.margin is not None else self.request.alternative

    def _share(self, answer: Answer) -> dict[str, Any]:
        """Return the fields that intervals and comparisons have in common."""
        names = ("low", "high", "standard_error", "pvalue")
        return {name: getattr(answer.inference, name) for name in names} | {
            "quantity": self.metric.quantity,
            "level": self.request.level,
            "method": answer.method.name,
            "parameters": answer.method.parameters,
            "n_pos": self.readings.n_pos,
            "n_neg": self.readings.n_neg,
            "notes": answer.notes,
            "frame": self.readings.frame,
        }

    def _make_interval(self, name: str, answer: Answer) -> Interval:
        return Interval(
            **self._share(answer),
            estimate=answer.inference.estimate,
            alternative=self._side_of_means,
            null=self.null,
            target=name,
        )

    def _make_comparison(self, target: Target, answer: Answer) -> Comparison:
        found, hypothesis = answer.inference, f"equal {self.metric.plural}"
        if self.margin is not None:
            hypothesis = f"a loss of {self.metric.quantity} of {self.margin:g} or more"
        assert found.statistic is not None, "a difference is tested"
        return Comparison(
            **self._share(answer),
            names=(target.names[0], target.names[1]),
            estimates=self._find_sides(target.contrast),
            difference=found.estimate,
            df=None if math.isinf(found.df) else found.df,
            statistic=found.statistic,
            interval_method=answer.method.name,
            hypothesis=hypothesis,
            paired=target.contrast.paired,
            alternative=self.request.alternative,
            margin=self.margin,
        )

    # ------------------------------------------------------------------------------- each reader

    def _tabulate_readers(self) -> dict[str, Any]:
        """Tabulate the metric of each reader under each test, with two-sided limits."""
        shape = len(self.readers_of), len(self.readers)
        values, errors, lower, upper = np.full((4, *shape), math.nan)
        cases = np.zeros(shape, dtype=np.intp)
        column = {reader: k for k, reader in enumerate(self.readers)}
        alone = replace(self.request, random="cases", null=0.0, alternative="two-sided")
        for row, (test, readers) in enumerate(self.readers_of.items()):
            for reader in readers:
                at, cell = (row, column[reader]), self.cells.index[test, reader]
                found = Bounded().judge(contrast_test(self.cells_alone, test, [reader]), alone)
                values[at], lower[at], upper[at] = self.cells.values[cell], found.low, found.high
                errors[at] = math.sqrt(np.square(self.cells.influence[cell]).sum())
                cases[at] = self.cells.cases[cell].sum()
        numbers = {"areas": values, "area_errors": errors, "area_lower": lower, "area_upper": upper}
        scaled = {name: self.metric.width * each for name, each in numbers.items()}
        return scaled | {"cases_read": cases}

    def _judge_algorithm(self) -> Iterator[Interval | None]:
        """Find the interval of the algorithm alone, for each test."""
        for test in self.readers_of if self.algorithm is not None else ():
            cell = self.algorithm_cells.get(test)
            if cell is None:
                yield None
            else:
                name = self.readings.readers[cell[1]]
                target = Target((name,), contrast_test(self.cells_alone, cell[0], [cell[1]]))
                yield self._make_interval(name, self._answer_alone(target))

    def _compare_readers(self) -> Iterator[tuple[str, Comparison]]:
        """Find the first difference for each reader."""
        names, targets = self.readings.readers, dict[int, Target]()
        if self.algorithm is not None:
            test, cell = next(iter(self.algorithm_cells.items()))
            for j in self.readers_of[test]:
                contrast = contrast_algorithm(self.cells_alone, cell, test, [j])
                targets[j] = Target((names[cell[1]], names[j]), contrast)
        elif len(self.readers_of) > 1:
            one, two = list(self.readers_of)[:2]
            tests = self.readings.tests[one], self.readings.tests[two]
            for j in self.readers_of[one]:
                if j in self.readers_of[two]:
                    targets[j] = Target(tests, contrast_tests(self.cells_alone, (one, two), [j]))
        for j, target in targets.items():
            yield names[j], self._make_comparison(target, self._answer_alone(target))


def adjust_by_holm(pvalues: list[float]) -> tuple[float, ...]:
    """Adjust p-values by Holm's method: the k-th smallest of n times n - k + 1, in order."""
    order, factor = np.argsort(pvalues, kind="stable"), np.arange(len(pvalues), 0, -1)
    found = np.empty(len(pvalues))
    found[order] = np.minimum(np.maximum.accumulate(factor * np.array(pvalues)[order]), 1.0)
    return tuple(found.tolist())
