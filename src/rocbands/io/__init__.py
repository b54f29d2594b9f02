"""Frames and files in; records, tables and JSON out."""
