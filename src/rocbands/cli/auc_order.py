"""What `rocbands auc` is asked: which area, of rows, groups or folds, and which interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rocbands.cli.options import is_given, usage
from rocbands.cli.words import cli_words

if TYPE_CHECKING:
    from rocbands.core.interval import Interval

__all__ = ["RENAMED", "Order"]

RENAMED = {"fpr": "fpr-range", "tpr": "tpr-range"}  # arguments that are called otherwise here


class Order(NamedTuple):
    """The options of the command, by the names that click gives them."""

    method: str | None
    level: float
    alternative: str
    null: float | None
    fpr_range: tuple[float, float] | None
    tpr_range: tuple[float, float] | None
    corrected: bool
    groups: str | None
    folds: str | None
    repeats: int | None
    resamples: int | None
    seed: int | None

    @property
    def is_part(self) -> bool:
        """Whether only part of the area is asked for."""
        return self.fpr_range is not None or self.tpr_range is not None

    def check(self) -> None:
        """Find slips before a file is read: they should not cost the time that reading takes."""
        from rocbands.auc import FOLD_METHODS, METHODS, PARTIAL_METHODS
        from rocbands.auc.partial import check_range
        from rocbands.core.checks import check_choice, check_level, check_rate, check_resamples
        from rocbands.core.interval import check_alternative

        self._check_together()
        known = tuple(METHODS if self.folds is None else FOLD_METHODS)
        if self.is_part:
            known = tuple(PARTIAL_METHODS)
        with cli_words(**RENAMED):
            check_choice(self.method or known[0], known, "method")
            check_level(self.level)
            check_alternative(self.alternative)
            if self.resamples is not None:
                check_resamples(self.resamples)
            if self.null is not None:
                check_rate(self.null, "null")
            if self.is_part:
                check_range(self.fpr_range, self.tpr_range)

    def _check_together(self) -> None:
        if self.groups is not None and self.folds is not None:
            raise usage("Give --groups or --folds, not both.")
        if self.repeats is not None and self.folds is None:
            raise usage("--repeats goes with --folds; there are none. Leave it out.")
        if self.corrected and not self.is_part:
            raise usage("--corrected is for part of the area. Say --fpr-range A,B or --tpr-range.")
        if self.fpr_range is not None and self.tpr_range is not None:
            raise usage("Give --fpr-range or --tpr-range, not both.")
        for name, option in (("folds", "--folds"), ("null", "--null")):
            if self.is_part and getattr(self, name) is not None:
                raise usage(f"{option} is for the whole area. Leave it out, or the range.")
        if self.is_part and is_given("alternative"):
            raise usage("--alternative is for the whole area. Leave it out, or the range.")
        if self.folds is not None and self.null is not None:
            raise usage("--null is for rows, not for folds. Leave it out, or --folds.")
        if self.resamples is not None and self.method not in ("bootstrap", "bca"):
            raise usage("--resamples is for methods that resample. Say --method bootstrap as well.")

    def interval(self, is_positive: Any, scores: Any, owners: Any) -> Interval:
        """Make the interval of one model; `owners` are groups or folds, if any."""
        from rocbands.auc import auc_interval
        from rocbands.auc.folds import fold_auc_interval
        from rocbands.auc.partial import partial_auc_interval

        how: dict[str, Any] = {"level": self.level}
        draws = {} if self.resamples is None else {"n_resamples": self.resamples}
        method: dict[str, Any] = {} if self.method is None else {"method": self.method}
        if self.is_part:
            how |= {"corrected": self.corrected, "groups": owners, "rng": self.seed, **draws}
            how |= {"fpr": self.fpr_range, "tpr": self.tpr_range, **method}
            return partial_auc_interval(is_positive, scores, **how)
        how["alternative"] = self.alternative
        if self.folds is not None:
            how |= {"repeats": self.repeats, "folds": owners}
            return fold_auc_interval(is_positive, scores, **method, **how)
        how |= {"groups": owners, "rng": self.seed, **draws, **method}
        if self.null is not None:
            how["null"] = self.null
        return auc_interval(is_positive, scores, **how)
