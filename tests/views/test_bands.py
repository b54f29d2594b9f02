"""Bands in other coordinates from labels and scores, and from the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

import rocbands as rb
from rocbands.cli import main

SAMPLE = rb.load_example()
ROWS = SAMPLE["logistic"]


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_same_as_the_view_of_the_band(prevalence):
    found = rb.pr_band(ROWS, prevalence=prevalence)
    view = rb.roc_band(ROWS).view("pr", prevalence=prevalence)
    assert isinstance(found, rb.results.View)
    assert found.rule == view.rule
    at = np.array([0.2, 0.7])
    assert (found.lower_at(at) == view.lower_at(at)).all()
    rows = rb.pr_band(SAMPLE.is_positive, ROWS.values, prevalence=prevalence)
    assert (rows.lower_at(at) == view.lower_at(at)).all()


@pytest.mark.parametrize("name", ["gains", "lift", "det"])
def test_other_views_are_asked_of_the_band(name):
    found = rb.roc_band(ROWS, method="joint-region", level=0.9).view(name)
    assert (found.level, found.name) == (0.9, name)


def run(*words):
    result = CliRunner().invoke(main, words)
    return result.exit_code, result.stdout, result.stderr


def test_command_band_view():
    code, out, _ = run("band", "--example", "--view", "pr", "--prevalence", "0.02", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["schema"] == "rocbands.views/1"
    one = found["models"]["logistic"]
    assert one["schema"] == "rocbands.view/1"
    assert (one["view"], one["rule"], one["prevalence"]) == ("pr", "given", 0.02)
    own = rb.pr_band(ROWS, prevalence=0.02)
    assert one["columns"]["lower"] == pytest.approx(list(own.columns()["lower"]))


def test_command_band_refuses_in_its_own_words():
    code, _, said = run("band", "--example", "--prevalence", "0.02")
    assert (code, "--prevalence is not for ROC curves" in said) == (2, True)
    code, _, said = run("band", "--example", "--view", "pr", "--prevalence", "2")
    assert code == 2
    assert "--prevalence" in said


def test_command_ap():
    code, out, _ = run("ap", "--example", "--json")
    assert code == 0
    found = json.loads(out)
    assert found["models"]["logistic"]["estimate"] == pytest.approx(0.844361241267)
    assert found["difference"]["difference"] == pytest.approx(0.1709, abs=1e-4)
    code, out, _ = run("ap", "--example", "--prevalence", "0.05", "--score", "logistic")
    assert "0.4587" in out
