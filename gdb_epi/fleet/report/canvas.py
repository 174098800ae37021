# SPDX-License-Identifier: Apache-2.0
"""One matplotlib figure as SVG for the page. The extra `report` brings matplotlib."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from threading import Lock
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gdb_epi.fleet.report.svg import COLOR, compact

POINTS = 72  # a figure unit is an inch of 72 points; the page takes a point as a CSS pixel
INK, MUTED, LINE, MARK, REST, SOFT, ALARM = (
    COLOR[name] for name in ("ink", "muted", "line", "mark", "rest", "soft", "alarm")
)

# Matplotlib's settings are the process's: two threads of a server must not draw at once.
_DRAWING = Lock()
_STYLE: Any = {
    "svg.fonttype": "none",  # text stays text: it can be read aloud, searched, and is small
    "svg.hashsalt": "gdb-epi",  # the same page each time
    "text.parse_math": False,  # a host may be called $x^2$
    "path.simplify": False,
    "font.size": 12,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": MUTED,
    "axes.linewidth": 1,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "grid.color": LINE,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}


@contextmanager
def drawing() -> Iterator[None]:
    """Hold matplotlib's settings; only one thread draws at a time."""
    with _DRAWING, mpl.rc_context(_STYLE), warnings.catch_warnings():
        # A name in a script that matplotlib's own font lacks: the browser draws the text.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
        yield


def figure(width: int, height: int) -> Figure:
    """Return an empty figure of CSS pixels."""
    return Figure(figsize=(width / POINTS, height / POINTS), dpi=POINTS)


def box(fig: Figure, width: int, height: int, edges: tuple[float, float, float, float]) -> Axes:
    """Return axes inside margins (left, top, right, bottom) in CSS pixels."""
    left, top, right, bottom = edges
    return fig.add_axes(
        (
            left / width,
            bottom / height,
            max(width - left - right, 1) / width,
            max(height - top - bottom, 1) / height,
        )
    )


def svg(fig: Figure, prefix: str, width: int, height: int) -> str:
    """Return the figure as markup for the page."""
    return compact(svg_text(fig), prefix, width, height)


def svg_text(fig: Figure) -> str:
    """Return the figure as matplotlib writes it."""
    fig.patch.set_visible(False)
    for axes in fig.axes:
        axes.patch.set_visible(False)
    out = StringIO()
    fig.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return out.getvalue()
