"""Planning studies: how many cases an interval, a test or a band needs.

| file | what it contains |
|---|---|
| `sample_size` | the function, its result, and the search for the smallest sizes |
| `aims` | what a study is for: what sizes achieve, and what a test set achieves |
| `formulas` | expected widths and powers of the default interval and tests |
| `simulation` | test sets of the planned sizes, and what the defaults make of them |
"""
