"""Make the example's reader study: `python examples/make_readings.py` writes readings.csv.

Simulated: six readers rate 100 cases, 40 of them ill, from 0 to 100, with the aid of an algorithm
and without. Scores have effects of readers, of cases, and of both with the test (Roe and Metz
1997). The true gain is the same for all readers but for a little chance.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.special import ndtr

TARGET = Path(__file__).parent.parent / "src" / "rocbands" / "io" / "readings.csv"
READERS = "ABCDEF"
GAIN = {"aided": 0.55, "unaided": 0.0}


def main() -> None:
    """Write the file."""
    rng = np.random.default_rng(3)
    ill = np.arange(100) < 40
    rng.shuffle(ill)
    of_case, of_case_and_test = rng.normal(0.0, 0.6, 100), rng.normal(0.0, 0.3, (2, 100))
    of_reader, of_reader_and_test = rng.normal(0.0, 0.25, 6), rng.normal(0.0, 0.12, (2, 6))
    noise = rng.normal(0.0, 0.7, (2, 6, 100))
    lines = ["reader,case,test,truth,rating"]
    for i, (test, gain) in enumerate(GAIN.items()):
        for j, reader in enumerate(READERS):
            ability = 1.25 + gain + of_reader[j] + of_reader_and_test[i, j]
            latent = ill * ability + of_case + of_case_and_test[i] + noise[i, j]
            rating = np.rint(100.0 * ndtr(0.75 * (latent - 0.7))).astype(int)
            lines += [f"{reader},{k + 1},{test},{int(ill[k])},{rating[k]}" for k in range(ill.size)]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
