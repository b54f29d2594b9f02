"""Draw figures of the papers: `python -m rocbands_papers.figures NAME -o FILE`."""

from __future__ import annotations

import argparse
from pathlib import Path

from rocbands_papers.figures import FIGURES, Sources, draw_figure


def main() -> None:
    """Draw what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m rocbands_papers.figures", description=__doc__)
    parser.add_argument("names", nargs="*", help="figures, such as macskassy-2004-figure5")
    parser.add_argument("-o", "--output", help="file of one figure; by default NAME.png")
    parser.add_argument("--all", metavar="FOLDER", help="draw all figures, or those named, there")
    parser.add_argument("--data", help="folder of data sets; else the one in ROCBANDS_DATA")
    parser.add_argument("--fetch", action="store_true", help="download data sets that are missing")
    parser.add_argument("--results", help="folder of stored results of studies")
    asked = parser.parse_args()
    if not asked.names and not asked.all:
        parser.error("name a figure: " + ", ".join(FIGURES))
    sources = Sources(asked.data, asked.fetch, asked.results)
    for name in asked.names or FIGURES:
        file = asked.output or str(Path(asked.all or ".") / f"{name}.png")
        draw_figure(name, file, sources)


if __name__ == "__main__":
    main()
