# SPDX-License-Identifier: Apache-2.0
"""The plots: each is drawn for a width, a phone gets one of its own; tables stand behind."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.ticker import MaxNLocator

from gdb_epi.fleet.report.matplotlib_svg import (
    ALARM,
    GROUP,
    INK,
    LINE,
    MARK,
    MUTED,
    REST,
    SOFT,
    axes_inside_margins,
    cut_into_drawings,
    empty_figure,
    figure_as_svg,
    figure_markup,
)
from gdb_epi.fleet.report.page import BitRow, CurveDay, HostMap
from gdb_epi.fleet.report.texts import cut_to_width

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
        shape = PathPatch(_strokes(values, size), facecolor="none", edgecolor=MARK)
        shape.set_gid(f"{GROUP}{number}")
        axes.add_artist(shape)  # add_patch would ask each of its curves for its extent
    wide = width / max(FEW, *(len(values) for values in every), 1)
    stroke = max(wide - min(wide * 0.2, 1.5), 0.8)
    return cut_into_drawings(figure_as_svg(fig), len(every), width, height, stroke)


def _strokes(values: Sequence[int], size: tuple[int, int]) -> Path:
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


def _columns(
    places: Sequence[float], wide: float, low: Sequence[int], high: Sequence[int], color: str
) -> PathPatch:
    """Return columns as one shape in data coordinates: a hundred patches take a second."""
    boxes = [
        (x - wide / 2, float(b), x + wide / 2, float(t))
        for x, b, t in zip(places, low, high, strict=True)
        if t > b
    ]
    return PathPatch(_boxes(boxes), facecolor=color, linewidth=0)


def _boxes(boxes: Sequence[tuple[float, float, float, float]]) -> Path:
    """Return one path of rectangles (left, low, right, high)."""
    corners = [
        [(left, low), (right, low), (right, high), (left, high), (left, low)]
        for left, low, right, high in boxes
    ]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(boxes)
    return Path([corner for box in corners for corner in box] or [(0, 0)], codes or [Path.MOVETO])


def curve_plot(days: Sequence[CurveDay], step: int, width: int) -> str:
    """Return the epidemic curve: crashes, and below them the rate where hours are known."""
    rated = any(day.rate is not None for day in days)
    height = (350 if rated else 230) if width == WIDE else (320 if rated else 200)
    fig = empty_figure(width, height)
    margin = (46.0, 30.0, 8.0, 26.0)
    lower = 92 if rated else 0
    axes = axes_inside_margins(
        fig, width, height, (margin[0], margin[1], margin[2], margin[3] + lower + 26 * rated)
    )
    _bars(axes, days)
    _dates(axes, days, width, shown=not rated)
    _title(axes, f"crashes a {_unit(step)}")
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
        _frame(below, len(days), 3)
        below.set_ylim(0, max([day.rate or 0 for day in days]) * 1.15 or 1)
        _dates(below, days, width, shown=True)
        _title(below, "per 1,000 host-hours")
    return figure_markup(fig, f"curve{width}-", width, height)


def _unit(step: int) -> str:
    return {1: "day", 7: "week"}.get(step, f"{step} days")


def _bars(axes: Axes, days: Sequence[CurveDay]) -> None:
    places = [i + 0.5 for i in range(len(days))]
    wide = 0.82 if len(days) < 60 else 0.9
    low = [day.explained for day in days]
    axes.add_artist(_columns(places, wide, [0] * len(days), low, MARK))
    axes.add_artist(_columns(places, wide, low, [day.crashes for day in days], REST))
    _frame(axes, len(days), 4)
    top = max([day.crashes for day in days] + [1])
    axes.set_ylim(0, top * 1.12)
    raised = [place for place, day in zip(places, days, strict=True) if day.raised]
    axes.plot(raised, [top * 1.07] * len(raised), "v", color=ALARM, markersize=7, clip_on=False)


def _frame(axes: Axes, count: int, ticks: int) -> None:
    axes.set_xlim(0, max(count, FEW))
    axes.yaxis.set_major_locator(MaxNLocator(ticks, integer=ticks > 3))
    axes.tick_params(length=0, labelsize=TICK, pad=6)
    axes.tick_params(axis="x", pad=9)
    axes.grid(axis="y", linewidth=0.8)
    axes.set_axisbelow(True)


def _dates(axes: Axes, days: Sequence[CurveDay], width: int, *, shown: bool) -> None:
    most = 10 if width == WIDE else 4
    every = max(-(-max(len(days), FEW) // most), 1)
    places = list(range(0, len(days), every))
    axes.set_xticks([i + 0.5 for i in places])
    axes.set_xticklabels([_short(days[i].label, days[0].label) for i in places] if shown else [])


def _short(label: str, first: str) -> str:
    """Month and day; the year too where the curve leaves its first year."""
    return label if label[:4] != first[:4] or not label[:4].isdigit() else label[5:]


def _title(axes: Axes, text: str) -> None:
    axes.set_title(text, loc="left", fontsize=TICK, color=MUTED, pad=8, x=0)


def map_plot(host_map: HostMap, width: int) -> str:
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
    _squares(axes, host_map, len(columns), cell)
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
        _group_names(axes, host_map, (left + group_width - 8) / cell)
    return figure_markup(fig, f"map{width}-", wide, high)


def _squares(axes: Axes, host_map: HostMap, columns: int, cell: int) -> None:
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


def _group_names(axes: Axes, host_map: HostMap, left: float) -> None:
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


def bits_plot(row: BitRow, number: int) -> str:
    """Return how often each bit was wrong, the bytes of the word told apart."""
    width, height = BITS
    fig = empty_figure(width, height)
    axes = axes_inside_margins(fig, width, height, (24, 8, 10, 20))
    top = max([*row.counts, 1])
    for lane in range(0, len(row.counts), 2 * LANE):
        axes.axvspan(lane, lane + LANE, color=SOFT, linewidth=0)
    places = [i + 0.5 for i in range(len(row.counts))]
    axes.add_artist(_columns(places, 0.9, [0] * len(places), row.counts, ALARM))
    axes.set_xlim(0, len(row.counts))
    axes.set_ylim(0, top * 1.1)
    axes.set_yticks([0, top])
    axes.set_xticks([i + 0.5 for i in (0, 8, 16, 24, 32, 40, 48, 56, 63)])
    axes.set_xticklabels(["0", "8", "16", "24", "32", "40", "48", "56", "63"])
    axes.tick_params(length=0, labelsize=10, pad=4)
    return figure_markup(fig, f"bits{number}-", width, height)
