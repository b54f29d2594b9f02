"""The tables and figures of five papers on ROC curves, measured again.

Each paper has its studies in a tuple STUDIES, which `rocbands_studies.catalog` finds.
"""
