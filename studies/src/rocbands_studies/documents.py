"""What the commands of `rocbands study` print as JSON: `rocbands schema` has these, too."""

from __future__ import annotations

from typing import Any

import rocbands_studies.own_data  # results with a schema
import rocbands_studies.papers.paper  # noqa: F401
from rocbands.cli.documents import Documents
from rocbands.io.records import describe_array, describe_object, describe_type, document

DOCUMENTS: Documents = {
    "own-studies/1": ("Measured coverage of bands, for each model", ("OwnDataResult",), {})
}


def describe_lists() -> list[dict[str, Any]]:
    """Return the schemas of documents that are not results."""
    text, texts = describe_type(str), describe_type(tuple[str, ...])
    seconds = describe_type(dict[str, float])
    study = {"name": text, "title": text, "paper": text, "needs": texts, "seconds": seconds}
    figure = {"name": text, "title": text, "needs": texts}
    return [
        document(
            "rocbands.studies/2",
            "The papers' tables and figures that can be reproduced",
            {
                "studies": describe_array(describe_object(study)),
                "figures": describe_array(describe_object(figure)),
            },
        )
    ]
