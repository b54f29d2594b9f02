"""The answer first: all models with the usual metrics in one table, and which of them to use."""
