# SPDX-License-Identifier: Apache-2.0
"""One matplotlib figure as SVG for the page: small, with ids of its own, in the page's colours.

Matplotlib (extra `report`) writes a file of its own; inside HTML the preamble, metadata and most
ids are waste. It knows no CSS variables: a plot is drawn in sentinel colours, and each becomes
`var(--NAME)`, so that one plot serves light, dark and print.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from threading import Lock
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Colours that no plot uses otherwise.
SENTINELS = {
    "#010101": "ink",
    "#010102": "muted",
    "#010103": "line",
    "#010104": "paper",
    "#010105": "mark",
    "#010106": "soft",
    "#010107": "alarm",
    "#010108": "rest",
}
COLOR = {name: color for color, name in SENTINELS.items()}

_WASTE = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<defs>\s*<style.*?</style>\s*</defs>",
    re.DOTALL,
)
_ID = re.compile(r' id="([^"]*)"')
_REFERENCE = re.compile(r'(xlink:href="#|url\(#)([^")]+)')
_NUMBER = re.compile(r"(?<![\w#&])-?\d+\.\d{2,}")
_PATH = re.compile(r'\s(?:d|x|y|transform|points|width|height)="[^"]*"')
_UPRIGHT = re.compile(r"M ([\d.]+) ([\d.]+) L \1 ")
_SPACE = re.compile(r"\s+")
_FONT = re.compile(r"font: (?:(\w+) )?([\d.]+)px [^;\"]*")
_HEAD = re.compile(r"<svg .*?>", re.DOTALL)
GROUP = "gdbepi"
_GROUP_PATH = re.compile(rf'<g id="{GROUP}(\d+)">\s*<path d="([^"]*)"')
_BLANK = re.compile(r">\s+<")


def compact_svg(svg: str, prefix: str, width: int, height: int) -> str:
    """Return the inside of a page's <svg>; `prefix` keeps its ids apart from other plots'."""
    text = _WASTE.sub("", svg)
    used = {name for _, name in _REFERENCE.findall(text)}
    text = _ID.sub(lambda m: f' id="{prefix}{m[1]}"' if m[1] in used else "", text)
    text = _REFERENCE.sub(lambda m: f"{m[1]}{prefix}{m[2]}", text).replace("xlink:href", "href")
    for color, name in SENTINELS.items():
        text = text.replace(color, f"var(--{name})")
    text = _FONT.sub(_font, _PATH.sub(_short_path, text))
    head = f'<svg viewBox="0 0 {width} {height}" aria-hidden="true" focusable="false">'
    return _BLANK.sub("><", _HEAD.sub(head, text, count=1)).strip()


def cut_into_drawings(svg: str, count: int, width: int, height: int, stroke: float) -> list[str]:
    """Return the paths of the groups GROUP0, GROUP1 ... as drawings of their own."""
    paths = {int(number): path for number, path in _GROUP_PATH.findall(svg)}
    drawings = []
    for number in range(count):
        shape = _PATH.sub(_short_path, f' d="{paths.get(number, "")}"')
        shape = _UPRIGHT.sub(r"M\1 \2V", shape)
        drawings.append(
            f'<svg viewBox="0 0 {width} {height}" aria-hidden="true" focusable="false">'
            f'<path{shape} stroke-width="{stroke:.2f}"/></svg>'
        )
    return drawings


def _short_path(match: re.Match[str]) -> str:
    """Tenths of a pixel, one blank between words."""
    return _SPACE.sub(" ", _NUMBER.sub(_round_match, match[0])).replace(' "', '"')


def _round_match(match: re.Match[str]) -> str:
    return f"{float(match[0]):.1f}".removesuffix(".0")


def _font(match: re.Match[str]) -> str:
    weight = f"; font-weight: {match[1]}" if match[1] else ""
    return f"font-size: {match[2]}px{weight}"


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
def exclusive_drawing() -> Iterator[None]:
    """Hold matplotlib's settings; only one thread draws at a time."""
    with _DRAWING, mpl.rc_context(_STYLE), warnings.catch_warnings():
        # A name in a script that matplotlib's own font lacks: the browser draws the text.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
        yield


def empty_figure(width: int, height: int) -> Figure:
    """Return an empty figure of CSS pixels."""
    return Figure(figsize=(width / POINTS, height / POINTS), dpi=POINTS)


def axes_inside_margins(
    fig: Figure, width: int, height: int, edges: tuple[float, float, float, float]
) -> Axes:
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


def figure_markup(fig: Figure, prefix: str, width: int, height: int) -> str:
    """Return the figure as markup for the page."""
    return compact_svg(figure_as_svg(fig), prefix, width, height)


def figure_as_svg(fig: Figure) -> str:
    """Return the figure as matplotlib writes it."""
    fig.patch.set_visible(False)
    for axes in fig.axes:
        axes.patch.set_visible(False)
    out = StringIO()
    fig.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return out.getvalue()
