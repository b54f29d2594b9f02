"""Verification by resampling."""

from __future__ import annotations

import numpy as np
import pytest

import rocbands as rb
from rocbands_studies import Binormal, Finite, Study, run
from rocbands_studies.papers.verification import Host, Verification


@pytest.mark.simulation
def test_a_shared_host_flatters_a_band_that_resamples() -> None:
    rng = np.random.default_rng(1)
    pos, neg = Binormal(2.0).draw(rng, 3000, 3000)
    file = Finite(pos, neg, "file")
    method = rb.bands.FixedWidth(n_resamples=99)
    cells = [
        Verification(Host.of(file), 200, method, verify_host=host, level=0.9, n_verify=40)
        for host in ("R", "RG")
    ]
    found = run(Study("hosts", cells, replicates=25), workers=1)
    own, honest = (found.figure(cell, "inside") for cell in cells)
    assert own.value == pytest.approx(0.9, abs=0.06)
    assert honest.high < 0.85
    assert found.figure(cells[0], "area").value == pytest.approx(
        found.figure(cells[1], "area").value, rel=0.1
    )
    with pytest.raises(rb.InputError, match="`verify_host` must be one of R, RG"):
        Verification(Host.of(file), 200, method, verify_host="elsewhere")
