"""The tables and figures of five papers on ROC curves, measured again.

Each package has its studies in a tuple STUDIES. `rocbands study list` and `rocbands study run NAME`
find them through the entry point group `rocbands.studies` (papers/pyproject.toml).
"""
