"""Notes on what a reader study can and cannot show, with measured numbers."""

from __future__ import annotations

from rocbands.readers.result import ReaderStudy

FEW_READERS = 5
FEW_CASES = 25
VERY_FEW_CASES = 8
NEAR_ONE = 0.95


def note_study(study: ReaderStudy) -> tuple[str, ...]:
    """Return the notes that the size of a study and its means call for.

    Numbers are those of docs/coverage-readers.md: of 'bounded' with logit limits, if these were
    asked for.
    """
    notes, usual = [], study.parameters.get("interval") == "logit"
    readers, by_class = len(study.readers), {"sensitivity": study.n_pos, "specificity": study.n_neg}
    fewest = by_class.get(study.metric, min(study.n_pos, study.n_neg))
    if study.random != "cases" and 1 < readers < FEW_READERS:
        measured = (
            ": with 3 who vary little, .95 intervals hold .97 to .99 of the time, and the test has "
            "a tenth less power than that of Obuchowski and Rockette"
        )
        notes.append(
            f"{readers} readers cannot show much about other readers{measured * usual}. Report "
            "each reader, too (by_reader)."
        )
    highest = max(one.estimate for one in study.means)
    near_one = highest > NEAR_ONE and study.metric != "partial_auc"
    if fewest < VERY_FEW_CASES and usual:
        notes.append(
            f"A class has {fewest} cases: with 4 to 7, .95 limits for these readers held as seldom "
            "as .86 in the worst populations that were found."
        )
    elif fewest < FEW_CASES and usual:
        notes.append(
            f"A class has {fewest} cases: with 10, .95 limits of the mean of one test hold .90 to "
            ".97 of the time, lowest near 1."
        )
    if near_one and usual:
        notes.append(
            f"A mean is {highest:.3f}: near 1, .95 intervals for equal tests hold .97 to .99 of "
            "the time, and non-inferiority is declared wrongly in up to .044 instead of .025 if "
            "readers vary much."
        )
    if (fewest < FEW_CASES or near_one) and not usual:
        notes.append(
            "With few cases of a class, or near 1, symmetric .95 limits of the mean of one test "
            "hold as little as .81 of the time, those of the default method .90."
        )
    if study.margin is not None and study.random == "readers":
        notes.append("Non-inferiority is for these cases only.")
    return tuple(notes)
