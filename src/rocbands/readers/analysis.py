"""The comparisons of a reader study, and what each method says about them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import combinations
from typing import Any

import numpy as np

from rocbands.comparison.method import divide_gap
from rocbands.core.checks import FloatArray
from rocbands.core.comparison import Comparison
from rocbands.core.interval import Interval
from rocbands.core.models import list_names
from rocbands.errors import InputError, arg, in_python
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
from rocbands.readers.method import RANDOM, Judgement, ReaderMethod, ReaderRequest
from rocbands.readers.notes import note_study
from rocbands.readers.readings import Readings
from rocbands.readers.result import Inference, ReaderStudy

# Single readers are judged by the default method, with the covariances of the study's method.
_BOUNDED = Bounded()
_ALONE: dict[str, Any] = {
    "method": _BOUNDED.name,
    "interval_method": _BOUNDED.name,
    "parameters": _BOUNDED.parameters,
}


@dataclass(frozen=True, eq=False)
class Analysis:
    """All comparisons of a study, by one method."""

    readings: Readings
    cells: Estimates
    metric: Metric
    method: ReaderMethod
    request: ReaderRequest
    algorithm: str | None
    null: float | None

    def report(self, margin: float | None) -> ReaderStudy:
        """Judge everything, and collect it."""
        machine = self._find_algorithm()
        people = [j for j in range(len(self.readings.readers)) if j != machine]
        of_test = {
            i: [j for j in people if (i, j) in self.cells.index]
            for i in range(len(self.readings.tests))
        }
        shown = [i for i, js in of_test.items() if js]
        notes = self._note_thresholds(shown)
        means = {i: contrast_test(self.cells, i, of_test[i]) for i in shown}
        found = self._find_components(people, shown, notes)
        if machine is None:
            pairs = self._pair_tests(shown, of_test, found, notes)
        else:
            pairs = self._pair_algorithm(machine, shown, of_test, notes)
        for i, one in means.items():
            self._check_readers(repr(self.readings.tests[i]), one)
        for names, one in pairs:
            self._check_readers(" minus ".join(map(repr, names)), one)
        judged = [(names, one, self.method.judge(one, self.request)) for names, one in pairs]
        gaps = tuple(self._compare(names, one, said, margin) for names, one, said in judged)
        of_means = {i: self._judge_mean(one) for i, one in means.items()}
        labels = {i: self.readings.tests[i] for i in shown}
        single, single_names = self._compare_by_reader(machine, shown, of_test, margin)
        joint = None
        if found is not None and machine is None and len(shown) > 2:
            joint = self.method.judge_joint(found, self.request.random)
        for said in [*(said for _, _, said in judged), *of_means.values()]:
            notes += [note for note in said.notes if note not in notes]
        width = self.metric.width
        value = np.full((len(shown), len(people)), math.nan)
        error, lower, upper = value.copy(), value.copy(), value.copy()
        count = np.zeros(value.shape, dtype=np.intp)
        for (i, j), place in self.cells.index.items():
            if j != machine and i in shown:
                at = shown.index(i), people.index(j)
                value[at] = self.cells.values[place] * width
                spread = np.square(self.cells.influence[place]).sum()
                error[at], count[at] = math.sqrt(spread) * width, self.cells.cases[place].sum()
                alone = self._judge_alone(contrast_test(self.cells, i, [j]))
                lower[at], upper[at] = alone.low * width, alone.high * width
        study = ReaderStudy(
            readings=self.readings,
            metric=self.metric.kind,
            quantity=self.metric.quantity,
            design=self.readings.design,
            tests=tuple(labels.values()),
            readers=tuple(self.readings.readers[j] for j in people),
            algorithm=self.algorithm,
            areas=value,
            area_errors=error,
            area_lower=lower,
            area_upper=upper,
            cases_read=count,
            algorithm_areas=self._judge_algorithm(machine, shown),
            means=tuple(self._make_interval(labels[i], means[i], of_means[i]) for i in shown),
            mean_dfs=tuple(of_means[i].df for i in shown),
            differences=gaps,
            holm=_adjust([gap.pvalue for gap in gaps]),
            joint=joint,
            components={} if found is None else _rescale(found, self.readings.n_cases, width),
            by_reader=single,
            reader_names=single_names,
            inferences=self._infer([(labels[i], one) for i, one in means.items()], pairs),
            random=self.request.random,
            level=self.request.level,
            alternative=self.request.alternative,
            margin=margin,
            null=self.null,
            method=self.method.name,
            parameters=self.method.parameters,
            n_pos=self.readings.n_pos,
            n_neg=self.readings.n_neg,
            frame=self.readings.frame,
        )
        return replace(study, notes=(*notes, *note_study(study)))

    def _note_thresholds(self, shown: list[int]) -> list[str]:
        """Note thresholds that all readings of a test are above, or below."""
        notes = []
        for i in shown if self.metric.thresholds else []:
            cut, scores = self.metric.thresholds[i], self.readings.scores[i]
            low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
            if not low < cut <= high:
                notes.append(
                    f"{'No reading' if high < cut else 'Every reading'} under "
                    f"{self.readings.tests[i]!r} is at or above {cut:g}; scores are from "
                    f"{low:g} to {high:g}."
                )
        return notes

    def _find_components(
        self, people: list[int], shown: list[int], notes: list[str]
    ) -> Components | None:
        """Find the components of all tests, if all pairs of tests are alike."""
        read = np.asarray(self.readings.read[:, people].any(axis=1))
        if len(shown) < len(read):
            return None
        shared = {np.count_nonzero(read[i] & read[k]) for i, k in combinations(shown, 2)}
        if len(shared) > 1:
            notes.append(
                "Pairs of tests share different numbers of cases: there is no joint test, and "
                "there are no components of variance."
            )
            return None
        return find_components(self.cells, people, len(shown))

    # -------------------------------------------------------------------------- comparisons

    def _find_algorithm(self) -> int | None:
        if self.algorithm is None:
            return None
        known = self.readings.readers
        if self.algorithm not in known:
            close = get_close_matches(self.algorithm, known, n=1)
            raise InputError(
                f"must be one of the readers, {list_names(known)}",
                f"got {self.algorithm!r}",
                f"Did you mean {close[0]!r}?" if close else "Name one of them.",
                argument="algorithm",
            )
        if len(known) == 1:
            raise InputError(
                "An algorithm is compared with readers",
                f"{self.algorithm!r} is the only one",
                f"Leave {arg('algorithm')} out.",
            )
        return known.index(self.algorithm)

    def _pair_tests(
        self,
        shown: list[int],
        of_test: dict[int, list[int]],
        found: Components | None,
        notes: list[str],
    ) -> list[tuple[tuple[str, str], Contrast]]:
        """All pairs of tests."""
        pairs = []
        for i, k in combinations(shown, 2):
            names = self.readings.tests[i], self.readings.tests[k]
            both = [j for j in of_test[i] if j in of_test[k]]
            every = sorted({*of_test[i], *of_test[k]})
            pair = f"{names[0]!r} minus {names[1]!r}"
            if not both:
                notes.append(f"No reader read both tests: {pair} compares different readers.")
                one = contrast_readers(self.cells, (i, k), (of_test[i], of_test[k]))
            else:
                lost = {m: sum(j not in of_test[m] for j in every) for m in (i, k)}
                for m, number in lost.items():
                    if number:
                        notes.append(
                            f"{number} of {len(every)} readers did not read "
                            f"{self.readings.tests[m]!r} and {'is' if number == 1 else 'are'} left "
                            f"out of {pair}."
                        )
                one = contrast_tests(self.cells, (i, k), both)
                if found is not None and len(shown) > 2:
                    one = replace(one, pooled=found.pooled)
            pairs.append((names, one))
        return pairs

    def _pair_algorithm(
        self, machine: int, shown: list[int], of_test: dict[int, list[int]], notes: list[str]
    ) -> list[tuple[tuple[str, str], Contrast]]:
        """Compare the algorithm with the readers of each test that it read."""
        assert self.algorithm is not None
        own = [i for i, j in self.cells.index if j == machine]
        common = [i for i in shown if i in own]
        if not common and len(own) > 1:
            raise InputError(
                "The algorithm must have read a test that readers read, or one test only",
                f"{self.algorithm!r} read {len(own)} tests of its own",
                f"Leave out all but one{in_python(': see take()', 'take')}.",
            )
        pairs = []
        for i in common or shown:
            cell = (i if common else own[0]), machine
            test = self.readings.tests[i]
            seen, read = (self.readings.read[cell], self.readings.read[i, of_test[i]].any(axis=0))
            if lost := int(np.count_nonzero(read & ~seen)):
                notes.append(
                    f"The algorithm lacks {lost} of {np.count_nonzero(read)} cases that readers "
                    f"read under {test!r}."
                )
            name = "readers" if len(shown) == 1 else f"readers, {test}"
            one = contrast_algorithm(self.cells, cell, i, of_test[i])
            pairs.append(((self.algorithm, name), one))
        left = [self.readings.tests[i] for i in shown if common and i not in common]
        if left:
            notes.append(f"The algorithm did not read {', '.join(map(repr, left))}.")
        return pairs

    def _check_readers(self, name: str, contrast: Contrast) -> None:
        several = len(self.readings.readers) > 1
        hint = in_python("; name a stand-alone algorithm by algorithm=", "algorithm")
        if self.request.random != "cases" and min(contrast.n_readers) < 2:
            raise InputError(
                "Readers can stand for others only if there are two or more",
                f"one was found{f' for {name}' * several}",
                f"Pass {arg('random', 'cases')}{hint * several}.",
            )

    # ------------------------------------------------------------------------------ results

    def _judge_mean(self, contrast: Contrast) -> Judgement:
        null = 0.0 if self.null is None else self.null / self.metric.width
        alternative = "two-sided" if self.request.null else self.request.alternative
        return self.method.judge(contrast, self.request.replace(null=null, alternative=alternative))

    def _make_interval(self, name: str, contrast: Contrast, said: Judgement) -> Interval:
        width = self.metric.width
        return Interval(
            quantity=self.metric.quantity,
            estimate=min(max(contrast.estimate, said.low), said.high) * width,
            low=said.low * width,
            high=said.high * width,
            standard_error=math.sqrt(said.variance) * width,
            level=self.request.level,
            method=self.method.name,
            parameters=self.method.parameters,
            alternative="two-sided" if self.request.null else self.request.alternative,
            null=self.null,
            pvalue=None if self.null is None else said.pvalue,
            target=f"{name}, mean over readers",
            n_pos=self.readings.n_pos,
            n_neg=self.readings.n_neg,
            notes=said.notes,
            frame=self.readings.frame,
        )

    def _compare(
        self, names: tuple[str, str], contrast: Contrast, said: Judgement, margin: float | None
    ) -> Comparison:
        assert contrast.sides is not None
        width, quantity = self.metric.width, self.metric.quantity
        one, two = (side.estimate * width for side in contrast.sides)
        gap, low, high = one - two, said.low * width, said.high * width
        error = math.sqrt(said.variance)
        hypothesis = f"equal {self.metric.plural}"
        if margin is not None:
            hypothesis = f"a loss of {quantity} of {margin:g} or more"
        return Comparison(
            names=names,
            quantity=quantity,
            estimates=(one, two),
            difference=min(max(gap, low), high),
            low=low,
            high=high,
            standard_error=error * width,
            df=None if math.isinf(said.df) else said.df,
            statistic=divide_gap(contrast.estimate - self.request.null, error),
            pvalue=said.pvalue,
            level=self.request.level,
            method=self.method.name,
            interval_method=self.method.name,
            parameters=self.method.parameters,
            hypothesis=hypothesis,
            paired=contrast.paired,
            alternative=self.request.alternative,
            margin=margin,
            n_pos=self.readings.n_pos,
            n_neg=self.readings.n_neg,
            notes=said.notes,
            frame=self.readings.frame,
        )

    def _judge_algorithm(
        self, machine: int | None, shown: list[int]
    ) -> tuple[Interval | None, ...]:
        if machine is None:
            return ()
        own = [i for i, j in self.cells.index if j == machine]
        found: list[Interval | None] = []
        for i in shown:
            at = i if i in own else own[0] if len(own) == 1 and own[0] not in shown else None
            if at is None:
                found.append(None)
                continue
            contrast = contrast_test(self.cells, at, [machine])
            said = self._judge_alone(contrast)
            one = self._make_interval(self.readings.readers[machine], contrast, said)
            own_method = {key: _ALONE[key] for key in ("method", "parameters")}
            found.append(replace(one, target=self.readings.readers[machine], **own_method))
        return tuple(found)

    def _judge_alone(self, contrast: Contrast) -> Judgement:
        """Judge one reader, with cases as random."""
        null = 0.0 if contrast.sides is None else self.request.null
        request = self.request.replace(random="cases", null=null)
        if contrast.sides is None:
            request = request.replace(alternative="two-sided")
        return _BOUNDED.judge(contrast, request)

    def _compare_by_reader(
        self,
        machine: int | None,
        shown: list[int],
        of_test: dict[int, list[int]],
        margin: float | None,
    ) -> tuple[tuple[Comparison, ...], tuple[str, ...]]:
        """Find the first difference for each reader."""
        found, names = [], []
        if machine is not None:
            own = [i for i, j in self.cells.index if j == machine]
            test = next((i for i in shown if i in own), shown[0])
            cell = (test if test in own else own[0]), machine
            each = [(j, contrast_algorithm(self.cells, cell, test, [j])) for j in of_test[test]]
        elif len(shown) > 1:
            one, two = shown[:2]
            both = [j for j in of_test[one] if j in of_test[two]]
            each = [(j, contrast_tests(self.cells, (one, two), [j])) for j in both]
        else:
            return (), ()
        for j, contrast in each:
            name = self.readings.readers[j]
            first = (
                self.readings.tests[shown[0]],
                self.readings.tests[shown[min(1, len(shown) - 1)]],
            )
            pair = first if self.algorithm is None else (self.algorithm, name)
            said = self._judge_alone(contrast)
            found.append(replace(self._compare(pair, contrast, said, margin), **_ALONE))
            names.append(name)
        return tuple(found), tuple(names)

    def _infer(
        self, means: list[tuple[str, Contrast]], pairs: list[tuple[tuple[str, str], Contrast]]
    ) -> tuple[Inference, ...]:
        """Each mean and difference with readers, cases or both as random."""
        found = []
        named = [*means, *((" minus ".join(names), one) for names, one in pairs)]
        for name, contrast in named:
            for random in RANDOM:
                if random != "cases" and min(contrast.n_readers) < 2:
                    continue
                request = self.request.replace(random=random)
                tested = contrast.sides is not None or self.null is not None
                if contrast.sides is None:
                    null = 0.0 if self.null is None else self.null / self.metric.width
                    kind = "two-sided" if self.request.null else self.request.alternative
                    request = request.replace(null=null, alternative=kind)
                try:
                    said = self.method.judge(contrast, request)
                except InputError:
                    continue  # an unbiased variance that is not positive
                width, error = self.metric.width, math.sqrt(said.variance)
                numbers: FloatArray = np.array([contrast.estimate, said.low, said.high, error])
                estimate, low, high, spread = (numbers * width).tolist()
                statistic = divide_gap(contrast.estimate - request.null, error)
                found.append(
                    Inference(
                        name,
                        random,
                        estimate,
                        low,
                        high,
                        spread,
                        said.df,
                        statistic if tested else None,
                        said.pvalue if tested else None,
                    )
                )
        return tuple(found)


def _rescale(found: Components, cases: int, width: float) -> dict[str, Any]:
    """Components in the units of the results."""
    counts = ("cases", "n_readers", "n_tests")
    return {
        name: value if name in counts else value * width**2
        for name, value in found.record(cases).items()
    }


def _adjust(pvalues: list[float]) -> tuple[float, ...]:
    """Adjust p-values by Holm's method."""
    order, largest, found = np.argsort(pvalues, kind="stable"), 0.0, dict[int, float]()
    for rank, place in enumerate(order.tolist()):
        largest = max(largest, min(1.0, (len(pvalues) - rank) * pvalues[place]))
        found[place] = largest
    return tuple(found[place] for place in range(len(pvalues)))
