# SPDX-License-Identifier: Apache-2.0
"""SVG of a plot made fit for the page: small, without ids that clash, in the page's own colours.

Matplotlib writes a file of its own; inside HTML the preamble, metadata and most ids are waste. It
knows no CSS variables: a plot is drawn in sentinel colours, and each becomes `var(--NAME)`, so that
one plot serves light, dark and print.
"""

from __future__ import annotations

import re

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


def compact(svg: str, prefix: str, width: int, height: int) -> str:
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


def cut_apart(svg: str, count: int, width: int, height: int, stroke: float) -> list[str]:
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
    return _SPACE.sub(" ", _NUMBER.sub(_rounded, match[0])).replace(' "', '"')


def _rounded(match: re.Match[str]) -> str:
    return f"{float(match[0]):.1f}".removesuffix(".0")


def _font(match: re.Match[str]) -> str:
    weight = f"; font-weight: {match[1]}" if match[1] else ""
    return f"font-size: {match[2]}px{weight}"
