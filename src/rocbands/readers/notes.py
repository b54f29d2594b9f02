"""Notes on what a reader study can and cannot show, with measured numbers."""

from __future__ import annotations

from rocbands.readers.result import ReaderStudy

FEW_READERS = 5
FEW_CASES = 25
VERY_FEW_CASES = 8
NEAR_ONE = 0.95


def note_study(study: ReaderStudy) -> tuple[str, ...]:
    """Return the notes that the size of a study and its means call for."""
    notes = []
    readers, fewest = len(study.readers), min(study.n_pos, study.n_neg)
    if study.random != "cases" and 1 < readers < FEW_READERS:
        notes.append(
            f"{readers} readers cannot show much about other readers: with 3 who vary little, .95 "
            "intervals hold .97 to .99 of the time, and the test has a tenth less power than that "
            "of Obuchowski and Rockette. Report each reader, too (by_reader)."
        )
    highest = max(one.estimate for one in study.means)
    if fewest < VERY_FEW_CASES:
        notes.append(
            f"A class has {fewest} cases: with 4 to 7, .95 limits for these readers held as seldom "
            "as .86 in the worst populations that were found."
        )
    elif fewest < FEW_CASES:
        notes.append(
            f"A class has {fewest} cases: with 10, .95 limits of the mean of one test hold .90 to "
            ".97 of the time, lowest near 1."
        )
    if highest > NEAR_ONE and study.metric != "partial_auc":
        notes.append(
            f"A mean is {highest:.3f}: near 1, .95 intervals for equal tests hold .97 to .99 of "
            "the time, and non-inferiority is declared wrongly in up to .044 instead of .025 if "
            "readers vary much."
        )
    if study.margin is not None and study.random == "readers":
        notes.append("Non-inferiority is for these cases only.")
    return tuple(notes)
