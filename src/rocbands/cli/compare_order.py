"""What `rocbands compare` is asked: areas, curves, one operating point; one test set or two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rocbands.cli.options import is_given, usage
from rocbands.cli.words import cli_words

if TYPE_CHECKING:
    from rocbands.comparison.result import Comparison
    from rocbands.core.scores import PairedScores

__all__ = ["Order"]

_DRAWS = ("bootstrap", "bootstrap-t", "venkatraman", "likelihood")


class Order(NamedTuple):
    """The options of the command, by the names that click gives them."""

    method: str | None
    level: float
    alternative: str
    margin: float | None
    at_fpr: float | None
    threshold: tuple[float, ...]
    of: str | None
    unpaired: str | None
    groups: str | None
    resamples: int | None
    seed: int | None

    def check(self) -> None:
        """Find slips before a file is read: they should not cost the time that reading takes."""
        from rocbands.comparison import DEFAULT, METHODS, ComparisonMethod
        from rocbands.comparison.mcnemar import mcnemar
        from rocbands.core.checks import check_number
        from rocbands.core.method import resolve_method

        self._check_together()
        with cli_words():
            if self.threshold:
                mcnemar([1, 0], [1, 0], [1, 0], **self._decisions)
                return
            if self.at_fpr is not None:
                check_number(self.at_fpr, "at_fpr", above=0.0, below=1.0)
            name = self.method or ("bootstrap" if self.at_fpr is not None else DEFAULT)
            draws = {"n_resamples": self.resamples}
            method = resolve_method(name, METHODS, ComparisonMethod, DEFAULT, **draws)  # type: ignore[type-abstract]
            method.check_comparison(paired=self.unpaired is None, **self._sides)

    def _check_together(self) -> None:
        """Refuse options that do not go together."""
        kinds = {
            "--at-fpr": self.at_fpr,
            "--threshold": self.threshold or None,
            "--unpaired": self.unpaired,
        }
        given = [name for name, value in kinds.items() if value is not None]
        if len(given) > 1:
            raise usage(
                f"{given[0]} and {given[1]} ask different questions. Leave one of them out."
            )
        if len(self.threshold) > 2:
            raise usage(
                f"--threshold must be one for both models, or one for each; got "
                f"{len(self.threshold)}. Leave some out."
            )
        for name, value in (("--margin", self.margin), ("--groups", self.groups)):
            if self.threshold and value is not None:
                raise usage(f"{name} is not for decisions at a --threshold. Leave it out.")
        if self.of is not None and not self.threshold:
            raise usage("--of goes with --threshold; there is none. Say --threshold T as well.")
        if self.at_fpr is not None and self.method not in (None, "bootstrap"):
            raise usage(f"--at-fpr resamples rows; got --method {self.method}. Leave --method out.")
        if self.unpaired is not None and self.groups is not None:
            raise usage("--groups is for models that scored the same rows. Leave it out.")
        draws = self.at_fpr is not None or self.method in _DRAWS
        if self.resamples is not None and not draws:
            raise usage("--resamples is for methods that resample. Say --method bootstrap as well.")

    def refuse_many(self, count: int) -> None:
        """Refuse what can be asked of two models only."""
        names = ("method", "alternative", "margin", "at_fpr", "threshold")
        asked = [f"--{name.replace('_', '-')}" for name in names if is_given(name)]
        if asked:
            raise usage(
                f"{', '.join(asked)} compare{'s' if len(asked) == 1 else ''} two models; there "
                f"are {count}. Choose two by --score A --score B"
            )

    def compare(self, models: PairedScores, names: tuple[str, str], owners: Any) -> Comparison:
        """Compare two models on the same rows."""
        from rocbands.comparison import compare
        from rocbands.comparison.mcnemar import mcnemar
        from rocbands.comparison.tpr import compare_tpr

        rows = models.is_positive, models.models[names[0]], models.models[names[1]]
        if self.threshold:
            return mcnemar(*rows, names=names, **self._decisions)
        how = {**self._sides, **self._draws, "names": names, "groups": owners}
        if self.at_fpr is not None:
            return compare_tpr(*rows, self.at_fpr, **how)
        return compare(*rows, self.method or "delong", **how)

    def compare_sets(self, y_true: Any, y_score: Any, names: tuple[str, str]) -> Comparison:
        """Compare two models on different rows; both arguments have one part for each."""
        from rocbands.comparison import compare

        how = {**self._sides, **self._draws, "names": names, "paired": False}
        how |= {"method": self.method or "delong", "y_true_2": y_true[1]}
        return compare(y_true[0], y_score[0], y_score[1], **how)

    @property
    def _sides(self) -> dict[str, Any]:
        return {"level": self.level, "alternative": self.alternative, "margin": self.margin}

    @property
    def _draws(self) -> dict[str, Any]:
        draws = {} if self.resamples is None else {"n_resamples": self.resamples}
        return {"rng": self.seed, **draws}

    @property
    def _decisions(self) -> dict[str, Any]:
        return {
            "threshold_1": self.threshold[0],
            "threshold_2": self.threshold[-1],
            "method": self.method or "mid-p",
            "of": self.of or "accuracy",
            "level": self.level,
            "alternative": self.alternative,
        }
