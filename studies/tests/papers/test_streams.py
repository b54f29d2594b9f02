"""Random streams are those of the published numbers (docs/studies).

A stream is made from the specification of its cell: class names and fields of populations and
methods. If this fails, a class or a field was renamed. Give the object a `fingerprint` with the old
text, or, if its method draws nothing or the study is measured again, write the new digests:
python -m studies.tests.papers.test_streams
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from rocbands_studies.catalog import list_studies

GOLDEN = Path(__file__).parent / "golden" / "cell_keys.json"


def digests() -> dict[str, str]:
    """Digest the cells of each full study that needs no data."""
    found = {}
    for study in list_studies():
        if not study.needs:
            keys = sorted((cell.key, cell.source_key) for cell in study.plan("full", 1, None).cells)
            found[study.name] = hashlib.blake2b(repr(keys).encode(), digest_size=8).hexdigest()
    return found


def test_streams_are_those_of_the_published_numbers() -> None:
    assert digests() == json.loads(GOLDEN.read_text(encoding="utf-8"))


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(digests(), indent=1) + "\n", encoding="utf-8")
