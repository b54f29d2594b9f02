"""Notes on what a reader study can and cannot show, with measured numbers."""

from __future__ import annotations

import numpy as np

from rocbands.core.phrases import say_few_clusters
from rocbands.core.roc import REVERSED
from rocbands.readers.result import ReaderStudy

FEW_READERS = 5
FEW_CASES = 25
VERY_FEW_CASES = 8
NEAR_ONE = 0.95


def note_study(study: ReaderStudy) -> tuple[str, ...]:
    """Return the notes that the size of a study and its means call for."""
    patients = study.readings.clusters
    few = say_few_clusters(None if patients is None else int(patients.max()) + 1)
    notes = [few] if few else []
    if study.metric == "auc" and np.nanmax(study.areas) < 0.5:
        notes.append(REVERSED)
    measured = study.parameters.get("interval") == "logit"  # the default method and limits
    readers, used = len(study.readers), {"sensitivity": study.n_pos, "specificity": study.n_neg}
    fewest = used.get(study.metric, min(study.n_pos, study.n_neg))
    if study.random != "cases" and 1 < readers < FEW_READERS:
        notes.append(
            f"{readers} readers say little about other readers: report each reader, too "
            "(table 'readers')."
        )
        if measured and study.random == "both":
            notes.append(
                "In simulated studies of 3 readers who vary little, .95 intervals of a difference "
                "hold .97 to .99 of the time, and the test has a tenth less power than that of "
                "Obuchowski and Rockette."
            )
    highest = max(one.estimate for one in study.means)
    if fewest < FEW_CASES:
        held = (
            "with 10, .95 limits of the mean of one test hold .90 to .97 of the time, lowest near 1"
        )
        if fewest < VERY_FEW_CASES:
            held = (
                "with 4 to 7, .95 limits for these readers held as seldom as .86 in the worst "
                "populations that were found"
            )
        if not measured:
            held = "symmetric .95 limits of the mean of one test hold as little as .81 of the time"
        notes.append(f"A class has {fewest} cases: {held}.")
    if highest > NEAR_ONE and study.metric != "partial_auc":
        held, wrong = ".95 intervals for equal tests hold .95 to .99 of the time", ".044"
        if not measured:
            held, wrong = "symmetric limits hold less often than the level says", ".112"
        notes.append(
            f"A mean is {highest:.3f}: near 1, {held}, and non-inferiority is declared wrongly in "
            f"up to {wrong} instead of .025 if readers vary much."
        )
    if study.margin is not None and study.random == "readers":
        notes.append("Non-inferiority is for these cases only.")
    return tuple(notes)
