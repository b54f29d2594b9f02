"""Make the example that ships with the package: two models' out-of-sample scores of 569 biopsies.

The data are the breast-cancer measurements that come with scikit-learn (Wisconsin Diagnostic, UCI
Machine Learning Repository, CC BY 4.0). Each model sees only two measurements, none of them the
size of the cells, so that the question is not too easy; every row is scored by a model that was
trained on the other nine folds.

Run: python examples/make_example.py
"""

from __future__ import annotations

import csv
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SEED = 20040704
TARGET = Path(__file__).parent.parent / "src" / "rocbands" / "io" / "example.csv"


def main() -> None:
    """Cross-validate both models and write one row for each biopsy."""
    data = load_breast_cancer(as_frame=True)
    malignant = (data.target == 0).to_numpy()
    models = {
        "logistic": (LogisticRegression(), ["mean texture", "mean compactness"]),
        "neighbours": (KNeighborsClassifier(n_neighbors=15), ["mean texture", "mean symmetry"]),
    }
    rows = [["", 0, *([0.0] * len(models))] for _ in malignant]
    folds = StratifiedKFold(n_splits=10, shuffle=True, random_state=SEED)
    for fold, (train, test) in enumerate(folds.split(malignant, malignant)):
        for place, (classifier, names) in enumerate(models.values(), start=2):
            features = data.data[names].to_numpy()
            model = make_pipeline(StandardScaler(), classifier)
            model.fit(features[train], malignant[train])
            for row, score in zip(test, model.predict_proba(features[test])[:, 1], strict=True):
                rows[row][0] = "malignant" if malignant[row] else "benign"
                rows[row][1] = fold
                rows[row][place] = round(float(score), 6)
    with TARGET.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["diagnosis", "fold", *models])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
