"""Help for names that do not exist here: arguments, attributes, functions of other libraries."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

from rocbands.errors import ArgumentError, Message, arg, join, warn

# Arguments of other libraries and of other functions here, by their names in this function.
_ARGUMENTS = {
    "rng": "random_state seed",
    "random_state": "rng",
    "level": "conf_level confidence confidence_level ci coverage",
    "n_resamples": "n_boot boot_n n_bootstraps n_bootstrap",
    "positive": "pos_label levels",
    "classes": "pos_label levels positive",
    "pos_label": "positive",
    "clusters": "cluster",
    "weights": "sample_weight",
    "sample_weight": "weights",
    "missing": "nan_policy na_rm",
    "label": "y_true response",
    "y_true": "response",
    "y_score": "y_pred y_proba y_prob probas_pred predictor",
    "y_score_1": "y_score y_pred y_proba y_prob probas_pred predictor",
    "score": "scores y_score y_pred y_proba y_prob probas_pred predictor",
    "at": "times",
    "by": "subgroup subgroups sensitive_features protected",
    "path": "output filename",
    "rate": "rates capacity",
    "capacity": "rate",
    "sensitivity": "sens",
    "specificity": "spec",
    "criterion": "method best",
    "threshold": "thresholds cutoff cut_off",
    "thresholds": "threshold threshold_probability threshold_probabilities pt cutoff cut_off",
    "against": "reference ref baseline",
    "costs": "c_fn c_fp",
    "precision": "ppv",
    "tpr": "recall",
    "fpr": "fixed_fpr",
    "n_pos": "n_positives",
}
# What a sample says about its rows, with a value if there is an example.
_OF_SAMPLE = {
    **dict.fromkeys(("clusters", "weights", "strata", "folds", "repeats", "keep"), "..."),
    **{"positive": "...", "missing": '"drop"', "rest": "True"},
}
_FRAME = "rb.Sample.from_frame(df, label=..., score=...)"
_POINTS = "Use rb.operating_points(y_true, y_score, {}=...)."
# Arguments that are not needed, or are of something else: what to do, where the function has one of
# the arguments in the middle. A sentence about {function} is for functions of data.
_INSTEAD = (
    (
        "n_jobs n_threads workers",
        "",
        "Leave it out: threads are used where they help, and results do not depend on them.",
    ),
    (
        "drop_intermediate",
        "",
        "Leave it out: results keep every score, and plots omit invisible points.",
    ),
    (
        "direction",
        "y_true score sample",
        "Larger scores mean more positive: if smaller ones do, negate the scores.",
    ),
    (
        "cluster clusters",
        "source tp",
        "Counts do not say which rows are of one cluster. Pass every row: "
        "rb.Sample(y_true, y_score, clusters=...).",
    ),
    (
        "clusters weights strata keep",
        "cv_results",
        "Add it to the sample that is returned: sample.replace({name}=...).",
    ),
    ("by", "keep", "Keep the column by `keep`; then call rb.subgroups(sample, by=...)."),
    ("by", "y_true sample", "Groups of people: rb.subgroups(sample, by=...)."),
    ("youden", "best", "Pass best='youden'."),
    ("youden", "y_score", "Use rb.operating_points(y_true, y_score, best='youden')."),
    *((name, "y_score", _POINTS.format(name)) for name in ("best", "fpr", "precision", "tpr")),
    ("threshold thresholds cutoff cut_off", "y_score", _POINTS.format("threshold")),
    ("sensitivity sens", "y_score", _POINTS.format("sensitivity")),
    ("specificity spec", "y_score", _POINTS.format("specificity")),
    (
        "max_fpr",
        "y_true",
        "The area over a range of fpr is "
        "rb.partial_auc_interval(y_true, y_score, fpr=(0, {value!r})).",
    ),
    (
        "partial_auc",
        "y_true",
        "The area over a range of fpr is rb.partial_auc_interval(y_true, y_score, fpr=(0, 0.1)).",
    ),
    (
        "names",
        "y_true sample label",
        "Name the models in the sample: rb.Sample(y_true, {{name_1: scores_1, ...}}).",
    ),
    (
        "paired y_true_2",
        "y_score_1",
        "Two test sets are two samples: {function}(sample_1, sample_2).",
    ),
    ("sample sample_1", "y_true", "Pass it first, without a name: {function}(sample)."),
    (
        "data label score",
        "multi_class",
        'A column for each class: {function}(y_true=df["label"], '
        'y_score=df[["class_1", "class_2", ...]]).',
    ),
    ("data label score", "y_true sample", f"Columns of a frame: {{function}}({_FRAME})."),
    ("data label score", "y_true keep", f"Columns of a frame: {_FRAME}."),
)
# What to write here: names that users try. Answers that begin with a dot are attributes of results,
# of which the first that a result has is suggested; with 'sample.' those of a sample; the others
# are functions of the library.
_HERE = {
    "rb.auc_interval(y_true, y_score)": "roc_auc_score auc_score roc_auc auroc ci_auc auc_ci ci",
    "rb.auc_interval(y_true, y_score) for one model or rb.compare(y_true, a, b) for two": "delong",
    "rb.compare(y_true, a, b)": "roc_test delong_test delong_roc_test compare_auc compare_roc",
    "rb.roc_curve(y_true, y_score)": "roc RocCurveDisplay",
    "rb.roc_band(y_true, y_score)": "band bands_roc ci_se ci_sp ci_roc confidence_band roc_ci",
    "rb.roc_band(y_true, y_score).plot()": "plot plot_roc plot_roc_curve plot_band roc_plot draw",
    "rb.pr_band(y_true, y_score)": "precision_recall_curve pr_curve plot_pr prc pr",
    "rb.average_precision_interval(y_true, y_score)": "average_precision_score auprc pr_auc ap",
    "rb.brier_score_interval(y_true, y_score)": "brier_score brier_score_loss brier",
    "rb.operating_points(y_true, y_score, threshold=0.5)": (
        "confusion_matrix confusion coords threshold thresholds cutoff "
        "sensitivity specificity recall_score precision_score "
        "accuracy_score f1_score classification_report"
    ),
    "rb.h_measure_interval(y_true, y_score)": "HMeasure hmeasure h_measure",
    "rb.best_threshold(y_true, y_score)": "youden youden_index optimal_threshold optimal_cutoff",
    "rb.partial_auc_interval(y_true, y_score, fpr=(0, 0.1))": "partial_auc pauc",
    "rb.net_benefit(y_true, y_score)": "decision_curve dca",
    "rb.sample_size(...)": "power power_roc_test samplesize",
    "rb.class_bands(y_true, y_score)": "multiclass_roc multiclass",
    "rb.class_bands(y_true, y_score) for classes or sample.each(rb.roc_band) for models": (
        "roc_bands RocBands"
    ),
    "rb.ClassBandsDisplay": "RocBandsDisplay",
    "'rocbands cite' on the command line": "cite citation",
    "rb.Sample.from_file(path)": "read_csv read load from_csv from_file from_parquet from_excel",
    "rb.Sample.from_frame(df, label=..., score=...)": (
        "from_frame DataFrame from_pandas from_polars from_df from_dataframe from_dict"
    ),
    "rb.Sample(y_true, y_score)": "from_arrays from_numpy from_predictions",
    "rb.Sample.from_estimator(model, X, y)": "from_model from_classifier",
    "rb.subgroups(sample, by=...)": "fairness by_group",
    "rb.summary(sample)": "describe summary head",
    ".low and .high": "ci conf_int confint confidence_interval interval limits lower upper lcl ucl",
    ".lower_at(fpr) and .upper_at(fpr)": "ci conf_int interval limits at low high lower upper",
    ".lower and .upper": "ci conf_int confidence_interval interval limits low high",
    ".tpr_at(fpr)": "at interpolate interp",
    ".roc.auc": "auc roc_auc auroc",
    ".roc.fpr": "fpr",
    ".roc.tpr": "tpr",
    ".auc": "estimate roc_auc auroc auc_score",
    ".estimate": "auc value point mean roc_auc auroc partial_auc",
    ".pvalue": "p p_value p_val pval",
    ".difference": "estimate diff delta",
    ".level": "conf_level confidence_level alpha",
    ".plot().figure.savefig(path)": "savefig save_fig save_figure save_plot",
    ".to_csv(path), .to_json() or .plot().figure.savefig(path)": "save write export dump to_excel",
    ".plot()": "show draw figure fig",
    ".to_frame()": "to_pandas to_df to_dataframe dataframe df",
    ".sentence, or print the result": "summary text report",
    "sample.is_positive": "y_true labels label y target",
    "sample.values, of one model": "y_score scores score y",
    "sample.roc.auc": "auc roc_auc",
    "sample.take(mask)": "query filter loc iloc where subset sample",
    "sample.split(column)": "groupby group_by",
    "sample.n": "shape size n_samples",
}
_OF_LINES = ("linewidth", "lw", "linestyle", "ls", "alpha", "marker", "markersize", "zorder")
_OF_AXES = ("title", "xlabel", "ylabel", "xlim", "ylim", "xscale", "yscale")
_WORD = re.compile(r"\w+")
_OF_FILES = ("filename", "path", "file", "fname", "save", "savefig", "output", "dpi")

# Names of views elsewhere.
VIEWS = {
    "precision-recall": "pr",
    "precision_recall": "pr",
    "decision": "net-benefit",
    "decision-curve": "net-benefit",
    "net_benefit": "net-benefit",
    "cumulative-gains": "gains",
    "cumulative_gains": "gains",
}


def suggest(name: object, known: Iterable[Any], otherwise: str = "") -> str:
    """Ask whether the most similar of the known names is meant; capitals do not matter.

    Examples
    --------
    >>> suggest("wilso", ["wilson", "likelihood"]), suggest(7, ["wilson"], "Choose one.")
    ("Did you mean 'wilson'?", 'Choose one.')
    """
    folded = {str(each).casefold(): each for each in known}
    close = get_close_matches(str(name).casefold(), folded, n=1)
    return f"Did you mean {folded[close[0]]!r}?" if close else otherwise


def find_argument(
    name: str, value: Any, own: Collection[str], given: Collection[str], function: str
) -> str:
    """Suggest what to write instead of an argument that a function does not have; else empty."""
    if name == "alpha" and "level" in own:
        good = isinstance(value, float) and 0.0 < value < 1.0
        return f"Pass level={round(1.0 - value, 12) if good else 0.95}, which is 1 - alpha."
    names = [name, *(here for here, words in _ARGUMENTS.items() if name in words.split())]
    if name == "levels" and isinstance(value, (int, float)):  # those of pROC are both labels
        names = [name]
    here = next((here for here in names if here in own), None)
    if here in given:
        return f"Leave it out: `{here}` was given."
    if here is not None:
        drawn = here == "n_resamples" and "method" in own
        which = ", for methods that resample: rb.methods() lists them" if drawn else ""
        return f"It is called `{here}` here{which}."
    of_data = function.islower() and not {"y_true", "sample"}.isdisjoint(own)
    for words, needed, instead in _INSTEAD:
        has = not needed or any(one in own for one in needed.split())
        if name in words.split() and has and (of_data or "{function}" not in instead):
            return instead.format(function=f"rb.{function}", name=name, value=value)
    said = next((here for here in names if here in _OF_SAMPLE), None)
    if said is None or not of_data:
        return ""
    scores = "{name_1: y_score_1, name_2: y_score_2}" if "y_score_1" in own else "y_score"
    made = "Sample.of_classes" if "multi_class" in own else "Sample"
    sample = f"rb.{made}(y_true, {scores}, {said}={_OF_SAMPLE[said]})"
    return f"The sample says it: rb.{function}({sample})."


def suggest_name(name: str, known: Collection[str], owner: str) -> str:
    """Suggest what to write instead of a name that `owner` does not have; else empty.

    `owner`: 'rb', 'sample', a class, or nothing for a result; `known`: the names that it has.
    """
    own = [f"{owner}."] if owner in ("", "sample") else []
    for start in (*own, "rb.") if owner else own:
        for here, names in _HERE.items():
            has = start != "." or _WORD.findall(here)[0] in known
            if has and here.startswith(start) and name in names.split():
                return f"Use {here}."
    public = [one for one in known if one[0] != "_"]
    close = get_close_matches(name, public, n=1, cutoff=0.75)
    if close:
        return f"Use {owner}.{close[0]}."
    return f"See dir({owner})." if owner else ""


def find_command(name: str, commands: Mapping[str, str]) -> str:
    """Suggest a command for the name of a function, here or elsewhere; empty without one.

    Examples
    --------
    >>> find_command("roc-test", {"compare": "compare"})
    "Use 'rocbands compare'."
    """
    wanted = name.replace("-", "_")
    text = next((here for here, names in _HERE.items() if wanted in names.split()), f"rb.{wanted}(")
    found = sorted((one for one in commands if f"rb.{one}(" in text), key=text.find)
    lines = [f"'rocbands {commands[one]}'" for one in found]
    return f"Use {' or '.join(lines)}." if lines else ""


def find_style(name: str, value: Any, known: Collection[str], axes: str) -> str:
    """Suggest how to style or save a picture whose function lacks an argument; else empty.

    `axes`: how the user writes the axes that were drawn on.
    """
    if name in _OF_AXES:
        return f"Set it on the axes: {axes}.set_{name}({value!r})."
    if name in _OF_FILES:
        return f"To write the picture to a file: {axes}.figure.savefig(path)."
    if name in _OF_LINES and (kind := next((k for k in known if k.endswith("_kwargs")), "")):
        return f"Pass {kind}={ {name: value}!r}."
    if name in ("figsize", "fig", "axes"):
        return "Make the axes yourself and pass them as `ax`."
    return ""


# --------------------------------------------------------------------------------------- arguments


P = ParamSpec("P")
R = TypeVar("R")

PROPORTIONS = ("sensitivity", "specificity", "tpr", "fpr", "sens", "spec")
NO_PROPORTION = (
    "Sizes are for AUCs, bands and reader studies, not for a sensitivity or specificity. That is a "
    "share p of n cases: its 95% limits are W apart with about n = 15.4 p (1 - p) / W^2 of them, "
    "139 positives for 0.9 and 0.1."
)
TWO_MEANINGS = ("group", "groups")  # of people, or of rows that depend on each other
FROM_FRAME = "rb.Sample.from_frame(df, label=..., score=...)"
# Examples of arguments that must be given, by their name or that of the class.
_NEEDED = {
    "Sample": (
        f"Pass rb.Sample(y_true, y_score); columns of a frame by {FROM_FRAME}, a file by "
        "rb.Sample.from_file(path)."
    ),
    "thresholds": Message(
        "Pass what decides, chosen on other rows, such as {}.", arg("thresholds", 0.5)
    ),
    "columns": (
        "Name the columns of scores by reader and test: case='id', label='ill', "
        "columns={('R1', 'aided'): 'aided_R1', ...}."
    ),
}


def say_both_meanings() -> str:
    """Say what is meant by groups here: one never guesses which of the two a user wants."""
    return Message(
        "Rows that depend on each other, such as the lesions of a patient, are {} of the "
        "sample; groups of people are compared by rb.subgroups(sample, by=...).",
        arg("clusters"),
    )


class HasNotes:
    """Data with notes that belong to every result, such as rows that were left out."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes that results must repeat."""
        return ()


def explain(function: Callable[P, R], hints: Mapping[str, str] | None = None) -> Callable[P, R]:
    """Explain unknown and missing arguments of a function.

    Notes of a sample, such as rows that were left out, are added to the notes of the result.
    """
    checked = explain_constructor(function, hints)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        result = checked(*args, **kwargs)
        level = kwargs.get("level")
        if isinstance(level, float) and level < 0.5:
            meant = arg("level", round(1.0 - level, 12))
            said = Message("A level of {:g}% is very low. Did you mean {}?", 100.0 * level, meant)
            result = add_notes(result, [Message(said)])
        for data in (*args, *kwargs.values()):
            if isinstance(data, HasNotes) and data.notes:
                result = add_notes(result, data.notes)
        return result

    return call


def explain_constructor(
    function: Callable[P, R], hints: Mapping[str, str] | None = None
) -> Callable[P, R]:
    """Explain unknown and missing arguments of a constructor or another method."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        check_arguments(function, args, kwargs, hints)
        return function(*args, **kwargs)

    return call


def explain_with(**hints: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Explain arguments as :func:`explain` does; `hints` are what to do instead of a name."""
    return lambda function: explain(function, hints)


def add_notes(result: R, notes: Iterable[str]) -> R:
    """Return a result with further notes before its own; without a field for them, warn."""
    fields: Mapping[str, Any] = getattr(result, "__dataclass_fields__", {})
    new = tuple(note for note in notes if note not in getattr(result, "notes", ()))
    if "notes" not in fields:
        for note in new:
            warn(note)
        return result
    return replace(result, notes=(*new, *result.notes))  # type: ignore[type-var, attr-defined]


def check_arguments(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    hints: Mapping[str, str] | None = None,
) -> None:
    """Raise an error that explains arguments that do not fit."""
    signature = _read_signature(function)
    with suppress(TypeError):
        signature.bind(*args, **kwargs)
        return
    bound = next(iter(signature.parameters), "") in ("self", "cls")
    name = function.__qualname__.removesuffix(".__init__")
    own = {k: v for k, v in signature.parameters.items() if k not in ("self", "cls")}
    _refuse(name, own, args[bound:], kwargs, hints or {})


_read_signature = cache(inspect.signature)


def _refuse(
    function: str,
    own: Mapping[str, inspect.Parameter],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    hints: Mapping[str, str],
) -> NoReturn:
    """Explain what is wrong with the arguments of a call: the first that does not fit."""
    places = [name for name, each in own.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    given = {*places[: len(args)], *kwargs}
    for name, value in kwargs.items():
        if name not in own:
            remedy = say_both_meanings() if name in TWO_MEANINGS else ""
            remedy = remedy or hints.get(name, "").format(value=value)
            remedy = remedy or find_argument(name, value, own, given, function)
            if "Display." in function:
                remedy = remedy or find_style(name, value, own, "display.ax_")
            remedy = remedy or _find_close(name, own, given)
            raise ArgumentError(f"{function}() has no argument {name!r}", "", remedy)
    if len(args) > len(places):
        free = [name for name in own if name not in (*places, *kwargs, "positive")]
        count = f"{len(places)} arguments ({', '.join(places)})"
        count = {0: "no argument", 1: "one argument"}.get(len(places), count)
        raise ArgumentError(
            f"{function}() takes {count} by position",
            f"got {len(args)}",
            _find_place(function, places, free, args),
        )
    for name in places[: len(args)]:
        if name in kwargs:
            raise ArgumentError(
                Message("{}() takes {} once", function, arg(name)),
                "it was given by position and by name",
                "Leave one of them out.",
            )
    missing = [k for k, each in own.items() if each.default is each.empty and k not in given]
    if missing[0] in ("y_true", "sample") and function.islower():
        remedy = "Pass a Sample, for example."
        raise ArgumentError(f"{function}() needs the data", "none were given", remedy)
    known = f"Its arguments are {', '.join(own)}."
    remedy = next((_NEEDED[name] for name in (function, *missing) if name in _NEEDED), known)
    if function.endswith("Display.from_estimator"):
        display = function.partition(".")[0]
        remedy = f"For labels and scores: rb.{display}.from_predictions(y_true, y_score)."
    raise ArgumentError(
        Message("{}() needs {}", function, join(" and ", map(arg, missing))),
        "it was not given" if len(missing) == 1 else "they were not given",
        remedy,
    )


def _find_place(function: str, places: list[str], free: list[str], args: tuple[Any, ...]) -> str:
    """Say how to pass the first argument that is too many by position."""
    others, further = "the others" if places else "it", args[len(places)]
    if not isinstance(further, str):
        free = [name for name in free if name != "method"] or free
    if places == ["sample"]:
        return f"Pass a Sample: rb.{function}(rb.Sample(y_true, {{name_1: scores_1, ...}}))."
    if not free:
        return f"Leave {others} out."
    if hasattr(args[0], "columns") and "y_score" in places and isinstance(further, str):
        return f"Columns of a frame: rb.{function}({FROM_FRAME})."
    if isinstance(further, (str, int, float)):
        return Message("Name {}, for example {}.", others, arg(free[0], further))
    return f"Name {others}, which may be {', '.join(free)}."


def _find_close(name: str, own: Iterable[str], given: set[str]) -> str:
    """Suggest a similar argument that was not given, or list all."""
    close = [known for known in get_close_matches(name, own) if known not in given]
    close.sort(key=lambda known: sorted(known) != sorted(name))  # the same letters: exchanged
    if close:
        return Message("Did you mean {}?", arg(close[0]))
    return f"It has {', '.join(own)}." if own else "It has none."
