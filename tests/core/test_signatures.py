"""Public functions accept what their signatures show, and explain everything else."""

from __future__ import annotations

import inspect
import re
import statistics
from collections.abc import Callable
from typing import Any

import pytest

import rocbands as rb
from rocbands.errors import ArgumentError

FUNCTIONS = {
    name: function for name in rb.__all__ if inspect.isfunction(function := getattr(rb, name))
}
PARAMETERS = {name: inspect.signature(one).parameters for name, one in FUNCTIONS.items()}
CONSTRUCTORS = {
    "Sample": rb.Sample,
    "Sample.from_frame": rb.Sample.from_frame,
    "Sample.from_file": rb.Sample.from_file,
}
CALLS: dict[str, Callable[..., Any]] = FUNCTIONS | CONSTRUCTORS
SIGNATURES = {name: inspect.signature(one).parameters for name, one in CALLS.items()}
# What people type who know other libraries, or earlier versions of this one.
FOREIGN = (
    *("alpha", "random_state", "pos_label", "sample_weight", "clusters", "weights", "strata"),
    *("folds", "data", "label", "score", "missing", "names", "paired", "y_true_2", "rest"),
    *("n_jobs", "seed", "conf_level", "n_boot", "sample", "y_pred", "thresholds_1"),
)
DATA = {"y_true", "y_score", "y_score_1", "y_score_2", "positive", "sample", "source"}
MOST, MOST_OF_ALL = 12, 18
MANY = {
    "operating_points": 17,  # seven ways to say which points are meant
    "sample_size": 14,  # all the numbers of a plan
}
UNTYPED = {  # what other libraries do not give a type that could be named
    ("count_scores", "source"),
    ("fold_numbers", "X"),
    ("fold_numbers", "cv"),
}


def misspell(name: str) -> list[str]:
    """Write a name with a letter too many, with one too few and with two exchanged."""
    middle = len(name) // 2
    return [
        name + name[-1],
        name[:middle] + name[middle + 1 :],
        name[: middle - 1] + name[middle] + name[middle - 1] + name[middle + 1 :],
    ]


def explanation(function: str, *args: Any, **given: Any) -> str:
    with pytest.raises(ArgumentError) as caught:
        CALLS[function](*args, **given)
    assert isinstance(caught.value, TypeError)
    return str(caught.value)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_signature_shows_all_that_is_accepted(function: str) -> None:
    own = PARAMETERS[function]
    assert {each.kind for each in own.values()} <= {
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        inspect.Parameter.KEYWORD_ONLY,
    }
    assert inspect.signature(inspect.unwrap(FUNCTIONS[function])).parameters == own
    if own:  # every declared argument goes through to the function, which refuses its value
        with pytest.raises(Exception) as caught:
            FUNCTIONS[function](**dict.fromkeys(own, object()))
        assert not isinstance(caught.value, ArgumentError)


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("function", CALLS)
def test_names_from_elsewhere_are_explained(function: str, name: str) -> None:
    own = SIGNATURES[function]
    if name in own:
        return
    said = explanation(function, **{name: 1})
    assert said.startswith(f"{function}() has no argument {name!r}. ")
    remedy = said.partition(". ")[2]
    if name == "n_jobs":
        assert remedy.startswith("Leave it out: threads")
    elif not own:
        assert remedy == "It has none."
    else:
        assert set(re.findall(r"\w+", remedy)) & own.keys() or re.search("[Ss]ample", remedy)


@pytest.mark.parametrize(
    ("function", "name"), [(function, name) for function, own in SIGNATURES.items() for name in own]
)
def test_misspelled_arguments_are_explained(function: str, name: str) -> None:
    for wrong in misspell(name):
        if wrong in SIGNATURES[function] or not wrong:
            continue
        said = explanation(function, **{wrong: 1})
        assert said.startswith(f"{function}() has no argument {wrong!r}. ")
        assert re.search(rf"\b{name}\b", said), said


@pytest.mark.parametrize("function", CALLS)
def test_arguments_in_the_wrong_place_are_explained(function: str) -> None:
    own = SIGNATURES[function]
    places = [name for name, each in own.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    said = explanation(function, *[1] * (len(places) + 1))
    assert said.startswith(f"{function}() takes ")
    assert f"got {len(places) + 1}" in said
    needed = [name for name, each in own.items() if each.default is each.empty]
    for name in needed:
        said = explanation(function, **{one: 1 for one in needed if one != name})
        assert said.startswith(f"{function}() needs ")
        assert f"`{name}`" in said or "Pass a Sample" in said
    if places:
        others = {name: 1 for name in needed if name != places[0]}
        said = explanation(function, 1, **{places[0]: 1}, **others)
        assert said.startswith(f"{function}() takes `{places[0]}` once")


def test_explanations_say_what_to_write() -> None:
    assert explanation("auc_interval", alpha=0.1).endswith("Pass level=0.9, which is 1 - alpha.")
    assert "rb.fold_auc_interval" in explanation("auc_interval", folds=1)
    assert explanation("compare", clusters=1).endswith(
        "rb.compare(rb.Sample(y_true, {name_1: y_score_1, name_2: y_score_2}, clusters=...))."
    )
    assert "rb.Sample.of_classes(y_true, y_score, weights=...)" in explanation(
        "class_bands", sample_weight=1
    )
    assert explanation("compare", paired=False).endswith("rb.compare(sample_1, sample_2).")
    assert explanation("mcnemar", paired=False).endswith("rb.mcnemar(sample) of two models.")
    assert explanation("roc_band", [0, 1], [0.1, 0.2], "likelihood").endswith(
        "Name the others, for example method='likelihood'."
    )
    assert explanation("operating_points", [0, 1], [0.1, 0.2], 0.1).endswith("example fpr=0.1.")
    assert explanation("Sample", [0, 1], [1, 2], sample_weight=1).endswith("`weights` here.")
    assert explanation("compare_many", [0, 1], {}).endswith(
        "rb.compare_many(rb.Sample(y_true, {name_1: scores_1, ...}))."
    )


def test_functions_have_few_parameters() -> None:
    counts = {name: len(own.keys() - DATA) for name, own in PARAMETERS.items()}
    largest = max(counts, key=lambda name: counts[name])
    print(f"median {statistics.median(counts.values())}, largest {counts[largest]} ({largest})")
    assert {name: count for name, count in counts.items() if count > MOST} == MANY
    assert max(counts.values()) <= MOST_OF_ALL


@pytest.mark.parametrize("function", FUNCTIONS)
def test_data_come_first_and_all_else_by_name(function: str) -> None:
    own = PARAMETERS[function]
    places = [name for name, each in own.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    if places and places[0] in DATA:
        assert set(places) <= DATA
        assert "positive" not in places


@pytest.mark.parametrize("function", FUNCTIONS)
def test_parameters_have_types(function: str) -> None:
    for name, each in PARAMETERS[function].items():
        annotation = str(each.annotation)
        assert annotation != str(each.empty)
        if (function, name) not in UNTYPED:
            assert not re.search(r"\bAny\b|ArrayLike", annotation), f"{name}: {annotation}"
    assert "Any" not in str(inspect.signature(FUNCTIONS[function]).return_annotation)
