"""Cross-validated AUC of persons with several rows, by loops: influences summed over persons.

LeDell, Petersen and van der Laan (2015), Electronic Journal of Statistics 9, 1583-1607, section on
pooled repeated measures: a person's influence is the sum of those of his or her rows, and

    sigma^2 = 1/V sum_v 1/n_v sum_(i in fold v) IC_i^2,   standard error sqrt(sigma^2 / n),

with n persons, n_v of them in fold v. A tie counts one half.
"""

from __future__ import annotations

from math import sqrt


def pooled_cvauc(y, s, folds, persons):
    """Mean of the folds' AUCs, and its standard error."""
    rows = [tuple(row) for row in zip(y, s, folds, persons, strict=True)]
    n = len({row[3] for row in rows})
    # Positives and negatives for each person, in place of the probabilities of both classes.
    per_pos = sum(1 for row in rows if row[0]) / n
    per_neg = sum(1 for row in rows if not row[0]) / n
    aucs, means = [], []
    for fold in sorted({row[2] for row in rows}):
        here = [row for row in rows if row[2] == fold]
        pos, neg = ([row[1] for row in here if bool(row[0]) is kind] for kind in (True, False))

        def win(a, b):
            return 1.0 if a > b else 0.5 if a == b else 0.0

        auc = sum(win(a, b) for a in pos for b in neg) / len(pos) / len(neg)
        influence: dict[object, float] = {}
        for label, score, _, person in here:
            if label:
                part = (sum(win(score, b) for b in neg) / len(neg) - auc) / per_pos
            else:
                part = (sum(win(a, score) for a in pos) / len(pos) - auc) / per_neg
            influence[person] = influence.get(person, 0.0) + part
        aucs.append(auc)
        means.append(sum(value**2 for value in influence.values()) / len(influence))
    return sum(aucs) / len(aucs), sqrt(sum(means) / len(means) / n)
