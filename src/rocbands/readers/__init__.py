"""Reader studies: several readers, the same cases, two or more tests; a module for each method."""

from __future__ import annotations

from collections.abc import Sequence

from rocbands.core.arguments import explain
from rocbands.core.checks import check_number, wrong_value
from rocbands.core.comparison import convert_margin
from rocbands.core.method import Alternative, Extra, resolve_method
from rocbands.errors import InputError, Message, arg, in_python
from rocbands.readers.analysis import Analysis
from rocbands.readers.bounded import Bounded
from rocbands.readers.influence import MetricName, choose_metric, estimate_cells
from rocbands.readers.method import Random, ReaderMethod
from rocbands.readers.obuchowski_rockette import ObuchowskiRockette
from rocbands.readers.one_shot import OneShot
from rocbands.readers.readings import Readings, find_name
from rocbands.readers.result import ReaderStudy

__all__ = ["Bounded", "ObuchowskiRockette", "OneShot", "ReaderMethod"]

METHODS: dict[str, type[ReaderMethod]] = {
    "bounded": Bounded,
    "obuchowski-rockette": ObuchowskiRockette,
    "one-shot": OneShot,
}
SHARED_FILES: dict[str, str] = {}  # every method has a file of its own name
DEFAULT = "bounded"


@explain
def compare_readers(
    readings: Readings,
    *,
    method: str | ReaderMethod | None = None,
    metric: MetricName = "auc",
    threshold: float | Sequence[float] | None = None,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    algorithm: str | None = None,
    random: Random = "both",
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    null: float | None = None,
) -> ReaderStudy:
    """Compare tests by the average over readers (multi-reader multi-case studies).

    The design need not be named: factorial studies, cases nested in readers or in tests,
    split-plot studies, readers nested in tests, missing readings, one test, and a stand-alone
    algorithm are read from the data. Differences are test 1 minus test 2, in order of appearance.

    Parameters
    ----------
    readings : Readings
        Who read which case under which test, and the scores.
    method : str or ReaderMethod, optional
        'bounded' (default), 'obuchowski-rockette' (the numbers of MRMCaov and RJafroc) or
        'one-shot' (those of iMRMC).
    metric : {'auc', 'partial_auc', 'sensitivity', 'specificity'}
        What is computed for each reader under each test.
    threshold : float or sequence of float, optional
        For sensitivity and specificity: a case is called positive at or above it. One number, or
        one for each test; 1 for decisions of 0 and 1.
    fpr, tpr : (float, float), optional
        For 'partial_auc': the range of false, or of true, positive rates.
    algorithm : str, optional
        The reader that is a stand-alone algorithm; it is compared with the average of the others.
    random : {'both', 'cases', 'readers'}, default 'both'
        What the limits generalise to: 'both' readers and cases like these; 'cases': these readers;
        'readers': these cases. All three are in ``.inferences``.
    level : float, default 0.95
        Confidence level.
    alternative : {'two-sided', 'less', 'greater'}
        'greater': test 1, or the algorithm, is better. The interval is one-sided, too.
    margin : float, optional
        Margin of a non-inferiority test: is test 1, or the algorithm, above the other minus
        `margin`?
    null : float, optional
        Value that the mean of each test is tested against, by its standard error. Limits of a mean
        are found on the logit scale: near the level, test and limits may disagree about `null`.

    Returns
    -------
    ReaderStudy
        Means of the tests, their differences, variance components, each reader's results, and
        pictures.

    See Also
    --------
    reader_study_size : numbers of readers and cases for the next study.
    compare : two models, or two tests without readers.

    Notes
    -----
    Each comparison is one number for each reader. Its variance is the variance between readers
    plus the mean covariance that readers have because they read the same cases; 'bounded' takes the
    variance of the same readers where that is larger. Formulas and measured coverage:
    docs/readers.md. The two readings of a case by one reader are taken to be independent given the
    case, as they are if enough time lies between them that the reader does not recall the first.

    Examples
    --------
    >>> import numpy as np, rocbands as rb
    >>> rng = np.random.default_rng(1)
    >>> test, reader, case = (part.ravel() for part in np.indices((2, 5, 80)))
    >>> ill = case < 30
    >>> score = rng.normal(size=ill.size) + rng.normal(size=80)[case] + ill * (1.5 + 0.8 * test)
    >>> readings = rb.Readings(ill, score, reader=reader, case=case, test=test)
    >>> study = rb.compare_readers(readings)
    >>> print(study.design)
    factorial: 5 readers x 2 tests x 80 cases (30 + 50)
    >>> gap = study.differences[0]
    >>> print(f"{gap.difference:.3f} ({gap.low:.3f} to {gap.high:.3f})")
    -0.106 (-0.190 to -0.033)
    """
    if not isinstance(readings, Readings):
        raise InputError(
            "must be the readings of a study",
            f"it is {type(readings).__name__}",
            in_python(
                "Pass rb.Readings.from_frame(df, label=, score=, reader=, case=, test=); a table "
                "with a column for each reader by rb.Readings.from_wide(df, case=, label=, "
                "columns=)."
            ),
            argument="readings",
        )
    chosen = resolve_method(method, METHODS, ReaderMethod, DEFAULT)
    what = choose_metric(metric, threshold, fpr, tpr, readings.tests)
    side, least = convert_margin(alternative, margin, most=what.width)
    if null is not None and not 0.0 <= (null := check_number(null, "null")) <= what.width:
        raise wrong_value("null", null, f"must be from 0 to {what.width:g}", "Pass such a number.")
    designs: tuple[Extra, ...] = () if readings.clusters is None else ("clusters",)
    request = chosen.make_request(level, side, random, least / what.width, designs)
    cells = estimate_cells(readings, what, chosen.estimator)
    place = None if algorithm is None else _find_algorithm(readings, algorithm)
    return Analysis(readings, cells, what, chosen, request, place, margin, null).report()


def _find_algorithm(readings: Readings, algorithm: str) -> int:
    """Return the place of the algorithm among the readers."""
    must = "must be one of the readers,"
    place = find_name(algorithm, readings.readers, "algorithm", must)
    if len(readings.readers) == 1:
        raise InputError(
            "An algorithm is compared with readers",
            f"{readings.readers[place]!r} is the only one",
            Message("Leave {} out.", arg("algorithm")),
        )
    return place
