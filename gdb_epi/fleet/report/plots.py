# SPDX-License-Identifier: Apache-2.0
"""The plots: each is drawn for a width, a phone gets one of its own; tables stand behind.

Matplotlib (extra `report`) writes a file of its own; inside HTML the preamble, metadata and most
ids are waste. It knows no CSS variables: a plot is drawn in sentinel colours, and each becomes
`var(--NAME)`, so that one plot serves light, dark and print.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from threading import Lock
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator

from gdb_epi.fleet.report.page import CurveDay, FlippedBitHistogram, HostMap
from gdb_epi.fleet.report.text_formatting import cut_to_width

WIDE, NARROW = 1040, 350  # CSS pixels
GROUP_WIDTH = 90  # of the names of racks
SPARK = (132, 26)
PART = (300, 44)
BITS = (330, 92)
LANE = 8  # bits in a byte
TICK = 11  # font size
FEW = 14  # steps: fewer of them do not get broader bars


def sparklines(every: Sequence[Sequence[int]], size: tuple[int, int] = SPARK) -> list[str]:
    """Return the course of many signatures, each scaled to its own highest bar.

    All of them are drawn in one figure and cut apart: a figure of its own takes 15 ms.
    """
    width, height = size
    fig = empty_figure(width, height)
    axes = axes_inside_margins(fig, width, height, (0, 0, 0, 0))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    for number, values in enumerate(every):
        shape = PathPatch(_path_of_upright_strokes(values, size), facecolor="none", edgecolor=MARK)
        shape.set_gid(f"{GROUP}{number}")
        axes.add_artist(shape)  # add_patch would ask each of its curves for its extent
    wide = width / max(FEW, *(len(values) for values in every), 1)
    stroke = max(wide - min(wide * 0.2, 1.5), 0.8)
    return cut_into_drawings(figure_as_svg(fig), len(every), width, height, stroke)


def _path_of_upright_strokes(values: Sequence[int], size: tuple[int, int]) -> Path:
    """One path of upright strokes, in pixels from the top: a third of what rectangles take."""
    width, height = size
    wide = width / max(len(values), FEW)
    top = max([*values, 1])
    ends: list[tuple[float, float]] = []
    for i, n in enumerate(values):
        if n:
            tall = max(n / top * (height - 2), 1)
            ends += [((i + 0.5) * wide, height), ((i + 0.5) * wide, height - tall)]
    codes = [Path.MOVETO, Path.LINETO] * (len(ends) // 2)
    return Path(ends or [(0, height)], codes or [Path.MOVETO])


def _column_patch(
    places: Sequence[float], wide: float, low: Sequence[int], high: Sequence[int], color: str
) -> PathPatch:
    """Return columns as one shape in data coordinates: a hundred patches take a second."""
    boxes = [
        (x - wide / 2, float(b), x + wide / 2, float(t))
        for x, b, t in zip(places, low, high, strict=True)
        if t > b
    ]
    return PathPatch(_rectangles_path(boxes), facecolor=color, linewidth=0)


def _rectangles_path(boxes: Sequence[tuple[float, float, float, float]]) -> Path:
    """Return one path of rectangles (left, low, right, high)."""
    corners = [
        [(left, low), (right, low), (right, high), (left, high), (left, low)]
        for left, low, right, high in boxes
    ]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(boxes)
    return Path([corner for box in corners for corner in box] or [(0, 0)], codes or [Path.MOVETO])


def epidemic_curve_plot(days: Sequence[CurveDay], step: int, width: int) -> str:
    """Return the epidemic curve: crashes, and below them the rate where hours are known."""
    rated = any(day.rate is not None for day in days)
    height = (350 if rated else 230) if width == WIDE else (320 if rated else 200)
    fig = empty_figure(width, height)
    margin = (46.0, 30.0, 8.0, 26.0)
    lower = 92 if rated else 0
    axes = axes_inside_margins(
        fig, width, height, (margin[0], margin[1], margin[2], margin[3] + lower + 26 * rated)
    )
    places = [i + 0.5 for i in range(len(days))]
    wide = 0.82 if len(days) < 60 else 0.9
    low = [day.explained for day in days]
    axes.add_artist(_column_patch(places, wide, [0] * len(days), low, MARK))
    axes.add_artist(_column_patch(places, wide, low, [day.crashes for day in days], REST))
    _style_axes(axes, len(days), 4)
    top = max([day.crashes for day in days] + [1])
    axes.set_ylim(0, top * 1.12)
    raised = [place for place, day in zip(places, days, strict=True) if day.raised]
    axes.plot(raised, [top * 1.07] * len(raised), "v", color=ALARM, markersize=7, clip_on=False)
    _label_dates(axes, days, width, shown=not rated)
    _set_title(axes, f"crashes a {_unit_of_step(step)}")
    if rated:
        below = axes_inside_margins(
            fig, width, height, (margin[0], height - margin[3] - lower + 12, margin[2], margin[3])
        )
        below.plot(
            [i + 0.5 for i in range(len(days))],
            [day.rate if day.rate is not None else float("nan") for day in days],
            color=INK,
            linewidth=1.6,
            marker="o" if len(days) < 45 else "",
            markersize=2.6,
        )
        _style_axes(below, len(days), 3)
        below.set_ylim(0, max([day.rate or 0 for day in days]) * 1.15 or 1)
        _label_dates(below, days, width, shown=True)
        _set_title(below, "per 1,000 host-hours")
    return figure_markup(fig, f"curve{width}-", width, height)


def _unit_of_step(step: int) -> str:
    return {1: "day", 7: "week"}.get(step, f"{step} days")


def _style_axes(axes: Axes, count: int, ticks: int) -> None:
    axes.set_xlim(0, max(count, FEW))
    axes.yaxis.set_major_locator(MaxNLocator(ticks, integer=ticks > 3))
    axes.tick_params(length=0, labelsize=TICK, pad=6)
    axes.tick_params(axis="x", pad=9)
    axes.grid(axis="y", linewidth=0.8)
    axes.set_axisbelow(True)


def _label_dates(axes: Axes, days: Sequence[CurveDay], width: int, *, shown: bool) -> None:
    most = 10 if width == WIDE else 4
    every = max(-(-max(len(days), FEW) // most), 1)
    places = list(range(0, len(days), every))
    axes.set_xticks([i + 0.5 for i in places])
    axes.set_xticklabels(
        [_short_day(days[i].label, days[0].label) for i in places] if shown else []
    )


def _short_day(label: str, first: str) -> str:
    """Month and day; the year too where the curve leaves its first year."""
    return label if label[:4] != first[:4] or not label[:4].isdigit() else label[5:]


def _set_title(axes: Axes, text: str) -> None:
    axes.set_title(text, loc="left", fontsize=TICK, color=MUTED, pad=8, x=0)


def host_map_plot(host_map: HostMap, width: int) -> str:
    """Return hosts by signatures; a square's area is the number of crashes."""
    narrow = width == NARROW
    columns = host_map.columns[:7] if narrow else host_map.columns
    rows = host_map.rows
    cell = 22 if narrow else 26
    left, top = (112.0 if narrow else 190.0), 34.0
    group_width = 0 if narrow or not host_map.group_name else GROUP_WIDTH
    count = len(columns) + 1.5  # the last column: all other signatures
    wide = int(left + group_width + cell * count + 60)
    high = int(top + cell * len(rows) + 8)
    fig = empty_figure(wide, high)
    axes = axes_inside_margins(fig, wide, high, (left + group_width, top, 60, 8))
    axes.set_xlim(0, count)
    axes.set_ylim(len(rows), 0)
    axes.set_axis_off()
    _draw_squares(axes, host_map, len(columns), cell)
    for i, column in enumerate(columns):
        axes.text(i + 0.5, -0.35, f"#{column.rank}", ha="center", fontsize=TICK, color=MUTED)
    for i, row in enumerate(rows):
        name = cut_to_width(row.host, left - 12)
        axes.text(-8 / cell, i + 0.5, name, ha="right", va="center", fontsize=TICK)
        total = f"{row.total:,}"
        axes.text(count + 8 / cell, i + 0.5, total, va="center", fontsize=TICK, color=MUTED)
    axes.text(count - 0.5, -0.35, "other", ha="center", fontsize=TICK, color=MUTED)
    axes.text(count + 14 / cell, -0.35, "all", fontsize=TICK, color=MUTED)
    if group_width:
        _draw_group_names(axes, host_map, (left + group_width - 8) / cell)
    return figure_markup(fig, f"map{width}-", wide, high)


def _draw_squares(axes: Axes, host_map: HostMap, columns: int, cell: int) -> None:
    rows = host_map.rows
    counts = [[*row.counts[:columns], row.other + sum(row.counts[columns:])] for row in rows]
    most = max((max(line) for line in counts), default=1) or 1
    shapes: dict[bool, list[Rectangle]] = {False: [], True: []}
    for y, line in enumerate(counts):
        for x, n in enumerate(line):
            if n:
                side = max(0.9 * (n / most) ** 0.5, 3.5 / cell)
                middle = x + (1 if x == columns else 0.5)
                corner = (middle - side / 2, y + 0.5 - side / 2)
                shapes[x == columns].append(Rectangle(corner, side, side))
    lines = [((0, y), (columns + 1.5, y)) for y in range(len(rows) + 1)]
    axes.add_collection(LineCollection(lines, colors=LINE, linewidths=0.6))
    axes.add_collection(PatchCollection(shapes[False], facecolor=MARK, linewidth=0))
    axes.add_collection(PatchCollection(shapes[True], facecolor=REST, linewidth=0))


def _draw_group_names(axes: Axes, host_map: HostMap, left: float) -> None:
    """Name each group beside its first host, and draw a line above it."""
    before = None
    for y, row in enumerate(host_map.rows):
        if row.group != before:
            axes.plot(
                [-left, len(host_map.columns) + 1.5],
                [y, y],
                color=MUTED,
                linewidth=0.8,
                clip_on=False,
            )
            text = cut_to_width(row.group or "–", GROUP_WIDTH - 8)
            axes.text(-left, y + 0.5, text, va="center", fontsize=TICK, color=MUTED)
        before = row.group


def flipped_bits_plot(row: FlippedBitHistogram, number: int) -> str:
    """Return how often each bit was wrong, the bytes of the word told apart."""
    width, height = BITS
    fig = empty_figure(width, height)
    axes = axes_inside_margins(fig, width, height, (24, 8, 10, 20))
    top = max([*row.counts, 1])
    for lane in range(0, len(row.counts), 2 * LANE):
        axes.axvspan(lane, lane + LANE, color=SOFT, linewidth=0)
    places = [i + 0.5 for i in range(len(row.counts))]
    axes.add_artist(_column_patch(places, 0.9, [0] * len(places), row.counts, ALARM))
    axes.set_xlim(0, len(row.counts))
    axes.set_ylim(0, top * 1.1)
    axes.set_yticks([0, top])
    axes.set_xticks([i + 0.5 for i in (0, 8, 16, 24, 32, 40, 48, 56, 63)])
    axes.set_xticklabels(["0", "8", "16", "24", "32", "40", "48", "56", "63"])
    axes.tick_params(length=0, labelsize=10, pad=4)
    return figure_markup(fig, f"bits{number}-", width, height)


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
    text = _FONT.sub(_css_font, _PATH.sub(_short_path, text))
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


def _css_font(match: re.Match[str]) -> str:
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
