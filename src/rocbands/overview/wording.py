"""The sentence of a recommendation: which model, at which threshold, and by how much better.

Every number in it is that of a point, of a comparison or of an AUC with limits; the first statement
that applies (:func:`rocbands.overview.recommendation.judge`) decides how it begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rocbands.core.phrases import (
    UNNAMED,
    choose_digits,
    in_100,
    join_words,
    name_cases,
    name_model,
    name_some,
    say_alarms,
    say_few_clusters,
    say_limits,
    say_reversed,
    write_number,
    write_share,
)
from rocbands.core.sample import Sample
from rocbands.cost.wording import write_cost
from rocbands.overview.goals import FEWEST, CostHalves, Estimate, Goal
from rocbands.overview.recommendation import Evidence, Finding, Recommendation
from rocbands.points.choose import Point, Rule, describe_step

_FEW_DIGITS = 2  # of an AUC whose limits are wide


def write_sentence(evidence: Evidence, found: Finding) -> str:
    """Write what was found in words."""
    return _Sentence(evidence, found).write()


@dataclass(frozen=True, eq=False)
class _Sentence:
    evidence: Evidence
    found: Finding

    @cached_property
    def _goal(self) -> Goal:
        return self.evidence.goal

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return self.evidence.among.names

    @cached_property
    def _cases(self) -> tuple[str, str]:
        return name_cases(*self.evidence.among.labels)

    def write(self) -> str:
        """Join what applies: a warning, what is shown, points, how they were chosen."""
        settled = {
            "few cases": self._say_few,
            "reversed": self._say_reversed,
            "two values": self._say_two_values,
            "guessing": self._say_guessing,
        }
        if self.found.verdict in settled:
            return " ".join(filter(None, [self._say_clusters(), settled[self.found.verdict]()]))
        parts = [self._say_clusters(), self._say_rules(), self._lead()]
        if self.found.rule is None:
            parts += [self._say_mean_area()]
        else:
            parts += [self._say_points(), self._say_promise(), self._say_other_area()]
        return " ".join(filter(None, parts))

    # ------------------------------------------------------------------ what must be settled first

    def _say_few(self) -> str:
        first = self.evidence.among.first
        few = [
            f"{count} {name if count != 1 else name.removesuffix('s')}"
            for count, name in ((first.n_pos, "positives"), (first.n_neg, "negatives"))
            if count < FEWEST
        ]
        one = len(self._names) == 1
        what = "a threshold" if one else "a model or a threshold"
        are = "is" if len(few) == 1 and few[0].startswith("1 ") else "are"
        has = "has an AUC of" if one else "has the highest AUC,"
        name = _capital(self._call(self.found.model))
        area = self._write_area(self.evidence.limit_area(self.found.model), _FEW_DIGITS)
        return f"{join_words(few)} {are} too few to choose {what}. {name} {has} {area}."

    def _say_reversed(self) -> str:
        areas = {
            self._call(name): self.evidence.areas[name].value for name in self.evidence.reversed
        }
        return _capital(f"{say_reversed(areas)} {self._no_advice} until this is settled.")

    def _say_two_values(self) -> str:
        names = [self._call(name) for name in self.evidence.two_valued]
        has = "has" if len(names) == 1 else "have"
        return _capital(
            f"{join_words(names)} {has} only two different scores: pass probabilities instead of "
            f"predictions. {self._no_advice} until then."
        )

    @property
    def _no_advice(self) -> str:
        one = len(self._names) == 1
        return "No threshold is given" if one else "No model is recommended"

    def _say_guessing(self) -> str:
        area = self._write_area(self.evidence.limit_area(self.found.model), _FEW_DIGITS)
        name, count = self._call(self.found.model), len(self._names)
        shown = "shown to be better than guessing"
        if count == 1:
            return f"{_capital(name)} is not {shown}: the AUC is {area}. No threshold is given."
        one, two = [*map(self._call, self._names), ""][:2]
        who = f"Neither {one} nor {two} is" if count == 2 else f"None of {count} models is"
        return f"{who} {shown}: the highest AUC, of {name}, is {area}. No threshold is given."

    def _say_clusters(self) -> str:
        return say_few_clusters(self.evidence.among.first.n_clusters)

    # ------------------------------------------------------------------------- what is shown

    def _lead(self) -> str:
        """Say which model is named, and why."""
        name = self._call(self.found.model)
        said = {
            "identical": lambda: f"{self._join(self._names)} rank all cases identically.",
            "not compared": lambda: (
                f"{name} {self._most} on these rows; the models were not compared{self._why}."
            ),
            "crossing": self._say_crossing,
            "not told apart": self._say_alike,
            "one model": lambda: "",
            "use": self._say_use,
        }
        return said[self.found.verdict]()

    def _say_use(self) -> str:
        """Recommend a model that is shown to be better than each other one."""
        found, name = self.found, self._call(self.found.model)
        others = [other for other in self._names if other != found.model]
        if self.evidence.given:
            return f"Use {name}."
        best = self.evidence.areas[found.model].value
        quantity = "mean AUC" if self.evidence.among.first.folds else "AUC"
        if len(others) == 1:
            gap = self.evidence.differences[found.model, others[0]]
            other, area = others[0], self.evidence.areas[others[0]].value
            than = self._call(other)
            following = f"{than} {write_share(area)}"
        else:
            other = max(others, key=lambda one: self.evidence.areas[one].value)
            than = f"each of the {len(others)} others"
            following = f"next {self._call(other)} {write_share(self.evidence.areas[other].value)}"
            gap = self.evidence.differences[found.model, other]
        return (
            f"Use {name}, which ranks cases better than {than} ({quantity} {write_share(best)}; "
            f"{following}; difference {_write_gap(gap)})."
        )

    @property
    def _most(self) -> str:
        rule = self.found.rule
        if rule is None:
            return "has the highest mean AUC"
        if not self.evidence.given:
            return "has the highest AUC"
        return "costs least" if rule.name == "costs" else "finds most"

    @property
    def _why(self) -> str:
        if not isinstance(self.evidence.among.data, Sample):
            return ": counts do not say which scores belong to the same row"
        extra = "" if self.found.refused is None else self.found.refused.extra
        return f": the rows have {extra}" if extra else ""

    def _say_crossing(self) -> str:
        best, other, gap = self.found.model, self.found.rival, self.found.gap
        if other is None or gap is None or self.found.rule is None:
            raise ValueError("Curves that cross are those of two models.")
        area = f"AUC {write_share(self.evidence.areas[best].value)}"
        if self.evidence.ranks_better(best, other):
            shown = self.evidence.differences[best, other]
            more = write_share(shown.value)
            area = f"AUC higher than that of {self._call(other)} by {more}, {_write_gap(shown)}"
        more = self._write_more(Estimate(-gap.value, -gap.high, -gap.low), self._cases[0])
        return (
            f"No model is best everywhere. Over all thresholds {self._call(best)} ranks cases best "
            f"({area}); with {self._at_most(self.found.rule)} {self._call(other)} finds {more}. "
            "How many false alarms can you afford?"
        )

    def _say_alike(self) -> str:
        found, areas = self.found, self.evidence.areas
        names = self._join([found.model, *found.alike])
        said = f"{names} cannot be told apart on these rows"
        if self.evidence.given:
            return f"{said}."
        said = f"{said} by AUC; {self._call(found.model)} has the highest, "
        said += write_share(areas[found.model].value)
        lower = [
            name
            for name in sorted(areas, key=lambda one: -areas[one].value)
            if self.evidence.ranks_better(found.model, name)
        ]
        than = f", shown to be higher than that of {self._join(lower)}" if lower else ""
        return f"{said}{than}."

    # ------------------------------------------------------------------------------- points

    def _say_points(self) -> str:
        """Say what the named model does at its threshold, then its rival, then the difference."""
        found, goal = self.found, self._goal
        if found.rule is None:
            return ""
        point = goal.points[found.model, found.rule]
        own = self._say_point(point)
        if found.rival is None or found.verdict == "identical":
            return f"{own}."
        rival = goal.points[found.rival, found.rule]
        if self.evidence.given:
            rival = goal.ruling(found.rival)
        if found.rule.name == "costs" and goal.study is not None and rival.rule == found.rule:
            return f"{own}{self._say_dearer(goal.study, rival)}."
        return f"{own}. {_capital(self._say_rival(rival, point))}{self._say_difference()}."

    def _say_point(self, point: Point) -> str:
        positives, negatives = self._cases
        name = self._call(point.model)
        if point.threshold is None:
            return self._say_none(point)
        text = (
            f"At threshold {point.text} {name} finds "
            f"{in_100(point.tpr, point.tpr_low, point.tpr_high, positives)} and alarms on "
            f"{in_100(point.fpr, point.fpr_low, point.fpr_high, negatives)}"
        )
        if point.rule.name == "costs" and self._goal.study is not None:
            text = text.replace(" and alarms on ", ", alarms on ")
            cost = self._goal.study.cost(point.model)
            numbers = [_write_money(number, cost) for number in cost]
            text += f" and costs {numbers[0]} per 1,000 cases ({numbers[1]} to {numbers[2]})"
            if cost.high >= self._goal.study.idle:
                idle = _write_money(self._goal.study.idle, cost)
                text += f", which may be no less than without a model, {idle}"
        if point.ppv is not None and point.ppv_low is not None and point.ppv_high is not None:
            right = in_100(point.ppv, point.ppv_low, point.ppv_high, "alarms")
            share = 100.0 * (self._goal.prevalence or 0.0)
            text += f"; at a prevalence of {share:.3g}% {right} are right"
        return text

    def _say_none(self, point: Point) -> str:
        """Say that no threshold keeps the promise, and what the highest one does."""
        name = self._call(point.model)
        none = f"{_capital(name)} has no threshold that finds any with {self._at_most(point.rule)}"
        roc = self.evidence.among.curve(point.model)
        first = int(roc.curve.y.searchsorted(1e-300))
        if first >= roc.fp.size and roc.fp.size == 1:
            return none  # all scores are equal
        top = describe_step(
            roc,
            first,
            point.rule,
            model=point.model,
            n_models=len(self._names),
            level=self.evidence.level,
        )
        return (
            f"{none}; the highest that finds any, {top.text}, finds "
            f"{in_100(top.tpr, top.tpr_low, top.tpr_high, self._cases[0])} and alarms on "
            f"{in_100(top.fpr, top.fpr_low, top.fpr_high, self._cases[1])}"
        )

    def _say_rival(self, point: Point, named: Point) -> str:
        name = self._call(point.model)
        if point.threshold is None:
            return f"{_capital(name)} has no threshold that finds any there"
        found, alarms = (_write_alone(rate) for rate in (point.tpr, point.fpr))
        if named.threshold is None:
            found = f"{found} of 100"
        return f"{name} at {point.text} finds {found} and alarms on {alarms}"

    def _say_difference(self) -> str:
        """Say by how much more is found at the same false positive rate or share of cases."""
        gap, rule = self.found.gap, self.found.rule
        if gap is None or rule is None or self.found.verdict == "crossing":
            return ""
        where = "acting on as many" if rule.name == "rate" else "at equal false alarms"
        name = self._call(self.found.model)
        if gap.low > 0.0 or gap.high < 0.0:
            return f"; {where} {name} finds {self._write_more(gap)}"
        if gap.low == gap.high == 0.0:
            return f"; {where} {name} finds as many"
        digits = choose_digits(0.0, 100.0 * (gap.high - gap.low))
        low, high = (_write_size(number, digits) for number in (gap.low, gap.high))
        return f"; {where} the difference may be chance ({low} fewer to {high} more for {name})"

    def _write_more(self, gap: Estimate, cases: str = "") -> str:
        """Write a difference that is shown, such as '23 more of 100 positives (8 to 39)'."""
        digits = choose_digits(100.0 * gap.value, 100.0 * (gap.high - gap.low))
        word = "more" if gap.value > 0.0 else "fewer"
        low, high = sorted((abs(gap.low), abs(gap.high)))
        of = f" of 100 {cases}" if cases else ""
        return f"{_write_size(gap.value, digits)} {word}{of} ({say_limits(low, high, digits)})"

    def _say_dearer(self, study: CostHalves, rival: Point) -> str:
        """Say by how much more the rival costs."""
        gap, name = self.found.gap, self._call(rival.model)
        at = "without alarms" if rival.threshold is None else f"at {rival.text}"
        if gap is None:
            cost = study.cost(rival.model)
            return f"; {name} {at} costs {_write_money(cost.value, cost)}"
        value, low, high = (_write_money(abs(number), gap) for number in gap)
        word, less = ("more", "less") if gap.value >= 0.0 else ("less", "more")
        if gap.low == gap.high == 0.0:
            return f"; {name} {at} costs as much"
        if gap.low > 0.0:
            return f"; {name} {at} costs {value} more ({low} to {high})"
        near, far = (low, high) if gap.value >= 0.0 else (high, low)
        return (
            f"; {name} {at} costs {value} {word}, which may be chance ({near} {less} to {far} "
            f"{word})"
        )

    def _say_mean_area(self) -> str:
        """Say the mean AUC of the folds' models, which have no threshold in common."""
        area = self._write_area(self.evidence.limit_area(self.found.model), _FEW_DIGITS)
        name = self._call(self.found.model)
        return (
            f"{_capital(name)} has a mean AUC of {area} over the folds. Each fold has its own "
            "model, so no threshold is given."
        )

    # -------------------------------------------------------------------- how it was chosen

    def _say_rules(self) -> str:
        """Say which of several rules has the fewest alarms."""
        rules, ruling = self._goal.rules, self.found.rule
        if not self.evidence.given or len(rules) < 2 or ruling is None:
            return ""
        points = {rule: self._goal.points[self.found.model, rule] for rule in rules}
        allowed = [
            self._say_allowed(rule, points[rule], "would ") for rule in rules if rule != ruling
        ]
        own = self._say_allowed(ruling, points[ruling], "")
        subject = {"fpr": "The limit of false alarms rules", "rate": "The capacity rules"}
        verb = subject.get(ruling.name, "The costs rule")
        return f"{verb}: {' and '.join(allowed)}, {own}."

    def _say_allowed(self, rule: Rule, point: Point, would: str) -> str:
        """Say on how many cases a rule allows to act."""
        cases = f"{_write_alone(self._goal.find_share(point))} of 100 cases"
        if rule.name == "costs":
            return f"at these costs {cases} {would + 'be' if would else 'are'} worth acting on"
        if rule.name == "rate":
            own = f"{_write_alone(rule.at)} of 100 cases" if would else _write_alone(rule.at)
            return f"with the capacity {own} could be acted on" if would else f"{own} can be"
        return f"{self._at_most(rule)} {'would mean' if would else 'mean'} acting on {cases}"

    def _say_promise(self) -> str:
        """Say what the thresholds are for."""
        rule = self.found.rule
        if rule is None:
            return ""
        several = self.found.rival is not None and self.found.verdict != "identical"
        if several and self.evidence.given:
            several = self._goal.ruling(str(self.found.rival)).rule == rule
        start = "The thresholds are" if several else "The threshold is"
        if rule.name == "costs":
            were = "thresholds were" if several else "threshold was"
            if self._goal.study is None:
                return f"The {were} chosen on these rows, so the numbers are optimistic."
            c_fn, c_fp = rule.at
            return (
                f"The {were} chosen on one half of the rows for costs {c_fn:g} : {c_fp:g}, and "
                "costs judged on the other."
            )
        if rule.name == "rate":
            return f"{start} for acting on at most {in_100(rule.at)} cases."
        promise = f"{start} for {self._at_most(rule)}"
        if self.evidence.given:
            return f"{promise}."
        return (
            f"{promise}, a convention: other rates are in the table; costs or a capacity can be "
            "given."
        )

    def _say_other_area(self) -> str:
        """Say, with a rule, that another model is better over all thresholds."""
        other, rule = self.found.better_area, self.found.rule
        if other is None or rule is None:
            return ""
        gap = self.evidence.differences[other, self.found.model]
        where = "at these costs" if rule.name == "costs" else "at this rate"
        return (
            f"Over all thresholds {self._call(other)} ranks cases better (AUC higher by "
            f"{write_share(gap.value)}, {_write_gap(gap)}); {where} that does not count."
        )

    def _at_most(self, rule: Rule) -> str:
        return say_at_most(rule, self._cases[1])

    # -------------------------------------------------------------------------------- words

    def _call(self, name: str) -> str:
        """Name a model; a number is quoted, and a model without a name is 'the model'."""
        if len(self._names) == 1 and name in UNNAMED:
            return "the model"
        return name_model(name)

    def _join(self, names: Sequence[str]) -> str:
        return name_some(list(map(self._call, names)))

    def _write_area(self, area: Estimate, digits: int) -> str:
        low, high = (write_share(number, digits) for number in (area.low, area.high))
        count = len(self._names)
        choice = f", allowing for the choice among {count}" if count > 1 else ""
        return f"{write_share(area.value, digits)} ({low} to {high}{choice})"


def say_at_most(rule: Rule, negatives: str = "negatives") -> str:
    """Write what a rule promises.

    Examples
    --------
    >>> say_at_most(Rule("fpr", 0.005)), say_at_most(Rule("rate", 0.1))
    ('at most 5 false alarms in 1000 negatives', 'at most 10 of 100 cases acted on')
    """
    if rule.name == "rate":
        return f"at most {in_100(rule.at)} cases acted on"
    if rule.name == "costs":
        c_fn, c_fp = rule.at
        return f"costs {c_fn:g} : {c_fp:g}"
    return f"at most {say_alarms(rule.at, negatives)}"


def arrange_points(found: Recommendation) -> Mapping[str, Sequence[str]]:
    """Arrange the points of a recommendation as a table; a point of several rates stands once."""
    shown = [
        point
        for rule in found.rules
        for name in found.shown
        for point in found.points
        if (point.rule, point.model) == (rule, name)
    ]
    rows = [*_merge_rates(shown)]
    if not rows:
        return {}

    def write(value: float, low: float, high: float) -> str:
        said, _, limits = in_100(value, low, high).partition(" of 100")
        return said + limits

    return {
        "at most": [_name_rules(rules) for rules, _ in rows],
        "model": [point.model for _, point in rows],
        "threshold": [point.text or "none" for _, point in rows],
        "finds of 100": [write(p.tpr, p.tpr_low, p.tpr_high) for _, p in rows],
        "alarms on of 100": [write(p.fpr, p.fpr_low, p.fpr_high) for _, p in rows],
        "right of 100 alarms": ["" if p.ppv is None else _write_alone(p.ppv) for _, p in rows],
    }


def _merge_rates(points: Sequence[Point]) -> Iterator[tuple[list[Rule], Point]]:
    """Join neighbouring rates for which a model has the same threshold."""
    before: dict[str, tuple[list[Rule], Point]] = {}
    for point in points:
        known = before.get(point.model)
        if known is not None and known[1].text == point.text and point.rule.name == "fpr":
            known[0].append(point.rule)
            continue
        row = [point.rule], point
        before[point.model] = row
        yield row


def _name_rules(rules: Sequence[Rule]) -> str:
    first, last = rules[0], rules[-1]
    if first.name != "fpr":
        return say_at_most(first).removeprefix("at most ")
    words = [say_at_most(rule, "").split() for rule in (first, last)]
    if words[0][-1] == words[1][-1] and first != last:
        return f"{words[0][2]} to {words[1][2]} in {words[0][-1]}"
    return " to ".join(dict.fromkeys(f"{word[2]} in {word[-1]}" for word in words))


def _capital(text: str) -> str:
    """Begin with a capital the words that are no name."""
    return "The model" + text.removeprefix("the model") if text.startswith("the model") else text


def _write_alone(rate: float) -> str:
    """Write a rate as a number of 100 cases, without these words."""
    return in_100(rate).removesuffix(" of 100")


def _write_size(value: float, digits: int) -> str:
    return write_number(100.0 * abs(value), digits)


def _write_gap(gap: Estimate) -> str:
    return f"{write_share(gap.low)} to {write_share(gap.high)}"


def _write_money(value: float, numbers: Estimate) -> str:
    """Write a cost with the decimals that its limits allow."""
    digits = choose_digits(abs(numbers.value), numbers.high - numbers.low)
    return write_cost(value, digits)
