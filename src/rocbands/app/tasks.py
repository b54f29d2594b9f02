"""What can be asked for, and the files of each answer; known to the server and to its jobs."""

from __future__ import annotations

MOST_BYTES = 10**9  # of a file
MOST_ROWS = 20_000_000
MOST_COLUMNS = 10_000
# The first look at a file reads at most so many rows and cells, and so much of each text.
FIRST_ROWS, FIRST_CELLS, LONGEST = 1000, 500_000, 200

# Tasks, with what they are about: an upload, or the result of another job.
TASKS = {
    "preview": ("upload",),
    "labels": ("upload",),
    "analyse": ("upload",),
    "compare": ("upload",),
    "readers": ("upload",),
    "plan": (),
    "file": ("of",),
}
REPORTS = ("analyse", "readers")

_PICTURES = ("png", "svg", "pdf")


def _list_pictures(*names: str) -> dict[str, str]:
    return {
        f"{name.partition(':')[0]}.{kind}": f"{name.partition(':')[2]} ({kind.upper()})"
        for name in names
        for kind in _PICTURES
    }


# Files of each task, by group; each with what the page calls it.
FILES: dict[str, dict[str, dict[str, str]]] = {
    "analyse": {
        "report": {"report.html": "Report (HTML)", "report.json": "All numbers (JSON)"},
        "tables": {
            "summary.csv": "Summary (CSV)",
            "summary.xlsx": "All tables (Excel)",
            "summary.tex": "Summary (LaTeX)",
            "operating-points.csv": "Operating points (CSV)",
            "bands.csv": "Curves with bands (CSV)",
        },
        "pictures": _list_pictures("bands:Curves with bands", "summary:Summary"),
    },
    "compare": {
        "tables": {
            "comparison.csv": "Comparison (CSV)",
            "comparison.xlsx": "All tables (Excel)",
            "comparison.tex": "Comparison (LaTeX)",
            "difference.csv": "Difference of the curves (CSV)",
        },
        "pictures": _list_pictures("difference:Difference of the curves"),
    },
    "plan": {
        "tables": {
            "plan.csv": "Plan (CSV)",
            "plan.xlsx": "Plan (Excel)",
            "plan.tex": "Plan (LaTeX)",
        },
        "pictures": _list_pictures("plan:Sizes"),
    },
    "readers": {
        "report": {"report.html": "Report (HTML)", "report.json": "All numbers (JSON)"},
        "tables": {
            "study.csv": "Results (CSV)",
            "study.xlsx": "All tables (Excel)",
            "study.tex": "Results (LaTeX)",
        },
        "pictures": _list_pictures("study:Readers and tests"),
    },
}
DOWNLOADS = {
    task: tuple(name for group in groups.values() for name in group)
    for task, groups in FILES.items()
}


def list_files(task: str) -> list[dict[str, str]]:
    """Return the files of an answer, as the page lists them."""
    return [
        {"name": name, "label": label, "group": group}
        for group, names in FILES[task].items()
        for name, label in names.items()
    ]
