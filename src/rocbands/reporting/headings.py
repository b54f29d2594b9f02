"""The report's headings, in one table: the template, the menu and the sentences that quote one."""

from __future__ import annotations

HEADINGS = {
    "findings": "Findings",
    "roc": "ROC curves",
    "auc": "Area under the curve",
    "points": "True positive rate at chosen false positive rates",
    "better": "Which model is better, and where?",
    "along": "Along the curve",
    "cost": "What do errors cost?",
    "cost_table": "Cost of 1,000 cases",
    "rates": "When only some cases can be acted on",
    "scores": "Scores of both classes",
    "trust": "Can you trust this?",
    "measured": "Measured coverage of the bands",
    "omitted": "Not included, and why",
    "methods": "Methods and citations",
    "references": "References",
}
# Sections in the order of the page, by the word that stands for each in the menu.
MENU = {
    "findings": HEADINGS["findings"],
    "roc": HEADINGS["roc"],
    "auc": "AUC",
    "better": "Which is better",
    "cost": "Costs",
    "rates": "Limited capacity",
    "scores": "Scores",
    "trust": "Trust",
    "methods": "Methods",
}


def quote_heading(key: str) -> str:
    """Return a heading in quotation marks, for a sentence that refers to it."""
    return f'"{HEADINGS[key]}"'
