"""Random samples: designs, missing values, parts of them, other designs, one question for each model.

Whatever a sample is made from: it is made or refused by an InputError, and what is made keeps its
promises (:func:`tests.fuzz.invariants.check_sample`). A case is known by its seed.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import rocbands as rb
from tests.fuzz.data import Draw, Recipe, build, draw_classes, draw_design, draw_sample, show
from tests.fuzz.invariants import expect

# Asked of each model of a sample; those that draw nothing are quick.
QUESTIONS: tuple[tuple[Any, dict[str, Any]], ...] = (
    (rb.auc_interval, {}),
    (rb.auc_interval, {"method": "bootstrap", "n_resamples": 99, "rng": np.random.default_rng(1)}),
    (rb.roc_band, {"method": "joint-region"}),
    (rb.operating_points, {"fpr": 0.1}),
    (rb.rate_bounds, {"rate": 0.1}),
    (rb.fold_auc_interval, {}),
    (rb.roc_curve, {}),
)


def draw_case(seed: int) -> Recipe:
    """Return a sample, a sample of several classes, or what is asked of each model."""
    r = random.Random(seed)
    draw = Draw.new(r)
    if r.random() < 0.1:
        labels, scores = draw_classes(draw)
        design = {name: column for name, column in draw_design(draw).items() if name in _OF_CLASSES}
        given = {"y_true": labels, "y_score": scores, **design}
        return Recipe(f"rb.Sample.of_classes({show(given)})", lambda: rb.Sample.of_classes(**given))
    needed = r.choice(((), ("groups",), ("folds",), ("weights",), ("strata",), ("keep",)))
    sample = draw_sample(
        draw, models=r.choice((1, 1, 2, 3)), design=needed, steps=r.choice((0, 1, 2, 3))
    )
    if r.random() < 0.8:
        return sample
    function, options = r.choice(QUESTIONS)
    options = dict(options)
    if function is rb.operating_points and r.random() < 0.5:
        options["test"] = draw_sample(draw, models=1)
    return Recipe(
        f"{sample}.each(rb.{function.__name__}, {show(options)})",
        lambda: sample.make().each(function, **{k: build(v) for k, v in options.items()}),
    )


_OF_CLASSES = ("groups", "weights", "strata")


def try_one(seed: int) -> str:
    """Make the sample of this seed, check what it is, and return 'result' or 'refused'."""
    case = draw_case(seed)
    try:
        outcome, _ = expect(case.make)
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt):
            raise
        problem.add_note(case.words)
        raise
    return outcome
