"""Random samples: by every constructor, then parts of them, other designs, copies.

Whatever a sample is made from: it is made or refused by an InputError, and what is made keeps its
promises (:func:`rocbands_studies.campaigns.invariants.check_sample`). A case is known by its seed.
"""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from rocbands_studies.campaigns.arguments import Case
from rocbands_studies.campaigns.calls import HOSTILE, list_functions
from rocbands_studies.campaigns.data import ANYTHING, Plan, Recipe, draw_rows, spoil
from rocbands_studies.campaigns.forms import make_sample
from rocbands_studies.campaigns.invariants import expect

STEPS = ("choose", "several", "mask", "places", "split", "copy", "pickle", "replace")


def draw_case(seed: int) -> Recipe:
    """Return a sample by one of its constructors, and up to three steps from it."""
    r = random.Random(seed)
    hostile = r.random() < 2 * HOSTILE
    case = Case(r, "Sample", list_functions()["Sample"], extreme=r.random() < 0.3, form="sample")
    classes = r.choice((2,) * 9 + (3,))
    plan = Plan(r.choice((1, 1, 2, 3)), classes, rest=classes == 2, repeats=True)
    case.rows = [draw_rows(r, plan, extreme=case.extreme)]
    call = make_sample(case, case.rows[0])
    if hostile:
        place = r.choice([name for name in call.given if name not in ("self", "X")] or ["y_true"])
        value = call.given.get(place)
        call.given[place] = r.choice(ANYTHING) if r.random() < 0.5 else spoil(r, value)
    recipe = Recipe(repr(call), call.make)
    for _ in range(r.choice((0, 1, 2, 3))):
        recipe = draw_step(r, recipe)
    return recipe


def draw_step(r: random.Random, recipe: Recipe) -> Recipe:
    """Draw what is made of a sample: a part of it, a copy, or another design."""
    kind, own, odd = r.choice(STEPS), r.randrange(10**6), r.choice(ANYTHING)
    hostile = r.random() < HOSTILE

    def make() -> Any:
        sample, rng = recipe.make(), np.random.default_rng(own)
        if not hasattr(sample, "models"):  # of several classes
            return pickle.loads(pickle.dumps(sample))
        models, n = sample.models, sample.n
        ways: dict[str, tuple[Callable[[Any], Any], Any]] = {
            "copy": (lambda _: copy.deepcopy(sample), None),
            "pickle": (lambda _: pickle.loads(pickle.dumps(sample)), None),
            "choose": (sample.__getitem__, models[own % len(models)]),
            "several": (sample.__getitem__, list(rng.permutation(models))),
            "mask": (sample.take, rng.random(n) < 0.8),
            "places": (sample.take, rng.permutation(n)[: 1 + n // 2]),
            "split": (sample.split, next(iter(sample.kept), "sex")),
            "replace": (lambda column: sample.replace(clusters=column), rng.permutation(n)),
        }
        if kind == "split" and not sample.kept and own % 10:
            return sample
        way, usual = ways[kind]
        found = way(odd if hostile else usual)
        return list(found.values())[own % len(found)] if kind == "split" else found

    return Recipe(f"{recipe} -> {kind} {odd if hostile else own!r}", make)


def try_one(seed: int) -> str:
    """Make the sample of this seed, check what it is, and return 'result' or 'refused'."""
    case = draw_case(seed)
    try:
        outcome, _ = expect(case.make)
    except Exception as problem:
        problem.add_note(case.words)
        raise
    return outcome
