"""Counting large data: files, frames, databases and clusters."""
