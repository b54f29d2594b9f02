"""Settings that hold for every test."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("rocbands", deadline=None, derandomize=True)
settings.load_profile("rocbands")
