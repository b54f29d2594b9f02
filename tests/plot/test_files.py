"""A picture's file appears wholly or not at all."""

import os
import stat

import pytest
from matplotlib.figure import Figure

import rocbands as rb
from rocbands.plot import draw, save

STARTS = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@pytest.fixture
def ax(make_roc, make_band):
    return draw(make_band(make_roc(60)), Figure(layout="constrained").subplots())


@pytest.mark.parametrize("suffix", STARTS)
def test_the_suffix_says_the_format(ax, tmp_path, suffix):
    path = tmp_path / f"roc{suffix.upper()}"
    save(ax, path)
    assert path.read_bytes().startswith(STARTS[suffix])
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", STARTS)
def test_the_same_picture_gives_the_same_bytes(ax, tmp_path, suffix):
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    save(ax, first)
    save(ax, str(second))
    assert first.read_bytes() == second.read_bytes()


def test_a_failure_leaves_the_old_file_and_nothing_else(ax, tmp_path, monkeypatch):
    path = tmp_path / "roc.png"
    path.write_bytes(b"old")

    def fail(file, **_):
        file.write(b"half")
        raise RuntimeError("power cut")

    monkeypatch.setattr(ax.figure, "savefig", fail)
    with pytest.raises(RuntimeError, match="power cut"):
        save(ax, path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_target_is_never_half_written(ax, tmp_path, monkeypatch):
    path = tmp_path / "roc.png"
    path.write_bytes(b"old")
    other_name = tmp_path / "other"
    other_name.hardlink_to(path)
    seen = []
    real = ax.figure.savefig

    def watch(file, **settings):
        real(file, **settings)
        seen.append(path.read_bytes())

    monkeypatch.setattr(ax.figure, "savefig", watch)
    save(ax, path)
    assert seen == [b"old"]
    assert other_name.read_bytes() == b"old"  # a new file took the name; none was written over
    assert path.read_bytes().startswith(STARTS[".png"])


@pytest.mark.skipif(os.name != "posix", reason="modes are a POSIX matter")
def test_the_file_is_as_readable_as_any_other(ax, tmp_path):
    other, path = tmp_path / "other", tmp_path / "roc.png"
    other.touch()
    save(ax, path)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_a_subfigure_is_saved_with_the_whole(make_roc, tmp_path):
    part = Figure().subfigures(1, 2)[0]
    save(draw(make_roc(6), part.subplots()), tmp_path / "roc.svg")
    assert (tmp_path / "roc.svg").stat().st_size > 0


@pytest.mark.parametrize("name", ["roc.jpeg", "roc", "png", ""])
def test_other_suffixes_are_refused_with_the_good_ones(ax, tmp_path, name):
    with pytest.raises(rb.InputError, match=r"\.png, \.pdf, \.svg"):
        save(ax, f"{tmp_path}/{name}")
    assert not list(tmp_path.iterdir())


def test_a_missing_folder_is_refused(ax, tmp_path):
    with pytest.raises(rb.InputError, match=r"nowhere' does not.*Make the folder"):
        save(ax, tmp_path / "nowhere" / "roc.png")


def test_a_folder_cannot_be_overwritten(ax, tmp_path):
    path = tmp_path / "roc.png"
    path.mkdir()
    with pytest.raises(rb.InputError, match="must go to a file"):
        save(ax, path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_pdf_saved_from_python_embeds_its_fonts(tmp_path):
    """Journals refuse Type 3 fonts, which are matplotlib's default."""
    target = tmp_path / "curve.pdf"
    roc = rb.roc_curve([1, 0, 1, 0], [4, 3, 2, 1])
    roc.plot().figure.savefig(target)
    content = target.read_bytes()
    assert b"/Type3" not in content
    assert b"/FontFile2" in content
    plain = Figure()
    roc.plot(plain.subplots())
    plain.savefig(target)
    assert b"/Type3" in target.read_bytes()  # the user's own figure follows the user's settings
