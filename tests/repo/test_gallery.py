"""Every picture of the gallery has the line that draws it, and exists."""

from __future__ import annotations

import re

from docs.make_pictures import GALLERY
from tests.repo.consoles import ROOT

PAGE = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")


def test_every_picture_of_the_gallery_has_its_line() -> None:
    shown = re.findall(r"\(pictures/gallery/([\w-]+)\.png\)", PAGE)
    drawn = [picture for _, picture in GALLERY.findall(PAGE) if picture]
    assert drawn == [f"pictures/gallery/{name}.png" for name in shown]
    assert len(drawn) > 12
    files = {path.stem for path in (ROOT / "docs" / "pictures" / "gallery").glob("*.png")}
    assert files == set(shown)


def test_each_line_plots() -> None:
    lines = [block.strip().splitlines()[-1] for block, picture in GALLERY.findall(PAGE) if picture]
    assert all(".plot(" in line for line in lines)
