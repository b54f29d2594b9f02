"""Komarek 2004, Figure 5.2: six predictions, their path, and that of a perfect learner."""

from __future__ import annotations

from matplotlib.figure import Figure

from rocbands_studies.papers.figures.common import BLACK, LINES, Sources, new_figure

_CLASSES = "++-+-+"  # the only order that gives the printed areas
_PREDICTIONS = ("0.89", "", "", "", "", "0.17")  # the others are not in the text


def _draw_path(sources: Sources) -> Figure:
    figure, axes = new_figure(1, 1, (5.0, 4.4))
    ax = axes[0, 0]
    x, y, rows = [0], [0], []
    for sign, prediction in zip(_CLASSES, _PREDICTIONS, strict=True):
        up = sign == "+"
        x.append(x[-1] + (not up))
        y.append(y[-1] + up)
        rows.append([prediction, "positive" if up else "negative", "up" if up else "right"])
    ax.plot([0, 0, 2], [0, 4, 4], color=BLACK, linewidth=1.6, label="perfect learner, area 8")
    style = {"linestyle": ":", "marker": "o", "markersize": 4, "linewidth": 2.0}
    ax.plot(x, y, color=LINES[0][0], label="learner, area 5", **style)
    ax.set(xlim=(-0.15, 4.2), ylim=(-0.15, 4.3), aspect="equal", xticks=range(5), yticks=range(5))
    ax.set(xlabel="negative rows", ylabel="positive rows")
    heads = ["prediction", "outcome", "step"]
    table = ax.table(rows, colLabels=heads, cellLoc="center", bbox=(0.54, 0.04, 0.44, 0.44))
    table.auto_set_font_size(False)
    table.set_fontsize(7)
    figure.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=8)
    return figure


DRAW = {"komarek-2004-figure5-2": _draw_path}
