"""Input from files and fitted models; output as records, tables and JSON."""
