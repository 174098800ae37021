# SPDX-License-Identifier: Apache-2.0
"""The page as HTML: jinja2 with autoescape, every shown value cleaned on its way out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from gdb_epi.fleet.report import plots
from gdb_epi.fleet.report.page import DecisionsPage, ReportPage
from gdb_epi.fleet.report.plots import exclusive_drawing
from gdb_epi.fleet.report.text_formatting import (
    day_text,
    harmless_text,
    label_in_words,
    number_text,
    percent_text,
)
from gdb_epi.render.escape import escape as escape_controls
from gdb_epi.render.signature_words import signature_phrase
from gdb_epi.render.triage import REPORT, Audience, render_triage

URGENT_FIRST = 8  # lines of what cores say by themselves
SHOWN_FIRST = 25  # signatures; the others are a click away


def render_page(page: ReportPage, link: Callable[[str], str] | None = None) -> str:
    """Return the page; `link` gives the address of a core where a server shows it."""
    with exclusive_drawing():
        plots_by_name: dict[str, Markup] = {}
        for name, width in (("wide", plots.WIDE), ("narrow", plots.NARROW)):
            if page.curve:
                drawn = plots.epidemic_curve_plot(page.curve, page.step, width)
                plots_by_name[f"curve_{name}"] = Markup(drawn)
            if page.host_map is not None:
                plots_by_name[f"map_{name}"] = Markup(plots.host_map_plot(page.host_map, width))
        values = {
            "page": page,
            "shown_first": SHOWN_FIRST,
            "urgent_first": URGENT_FIRST,
            "plots": plots_by_name,
            "sparks": _sparkline_markup([row.daily for row in page.signatures], plots.SPARK),
            "courses": _sparkline_markup(
                [part.daily for split in page.splits for part in split.parts], plots.PART
            ),
            "bits": [Markup(plots.flipped_bits_plot(row, i)) for i, row in enumerate(page.bits)],
            "link": link,
        }
        return _jinja_environment().get_template("page.html.j2").render(values)


def render_core(record: Mapping[str, Any]) -> str:
    """Return the page of one core: the answer of a triage, and the record behind it."""
    values = {
        "key": record.get("core_key"),
        "lines": [_UncutText(escape_controls(line)) for line in _answer_of_record(record)],
        "record": _UncutText(json.dumps(record, indent=1)),
    }
    return _jinja_environment().get_template("core.html.j2").render(values)


def render_decisions(page: DecisionsPage) -> str:
    """Return the page of what was decided, with the forms of a server that takes decisions."""
    typed = [
        form._replace(given={k: _UncutText(escape_controls(v)) for k, v in form.given.items()})
        for form in page.forms
    ]
    template = _jinja_environment().get_template("decisions.html.j2")
    return template.render(page=page._replace(forms=tuple(typed)))


class _UncutText(str):
    """A text that is shown whole."""

    __slots__ = ()


def _answer_of_record(record: Mapping[str, Any]) -> list[str]:
    """A record from afar may hold anything where a list or a map is due."""
    try:
        return render_triage(dict(record), Audience(REPORT))
    except (TypeError, ValueError, KeyError, AttributeError, IndexError):
        return ["this record is none of an analysis: the whole of it is below"]


def _sparkline_markup(every: list[tuple[int, ...]], size: tuple[int, int]) -> list[Markup]:
    return [Markup(drawn) for drawn in plots.sparklines(every, size)]


def _jinja_environment() -> Environment:
    environment = Environment(
        autoescape=True,
        finalize=_cleaned_unless_markup,
        loader=FunctionLoader(_read_template),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "num": number_text,
        "day": day_text,
        "clip": harmless_text,
        "breaks": _breakable_name,
        "in_words": label_in_words,
    }
    environment.filters["called"] = signature_phrase
    environment.globals |= {
        "percent": percent_text,
        "span": _day_span,
        "rows_of": lambda rows: [(f"#{row.rank}", row.daily) for row in rows],
        "parts_of": lambda split: [(part.mark, part.daily) for part in split.parts],
        "style": Markup(_read_template("page.css")),
    }
    return environment


def _cleaned_unless_markup(value: Any) -> Any:
    """Clean what is about to be escaped; markup of our own passes."""
    if isinstance(value, (Markup, _UncutText, int, float)):
        return value
    return "" if value is None else harmless_text(value)


def _day_span(first: int | None, last: int | None) -> str:
    """Return two days in one short line; the second without a year that the first has."""
    begin, end = day_text(first), day_text(last)
    if begin == end:
        return begin
    return f"{begin} – {end[5:] if begin[:5] == end[:5] else end}"


def _breakable_name(text: str, limit: int) -> Markup:
    """Return a name that may be broken after its dots and colons."""
    shown = str(escape(harmless_text(text, limit)))
    return Markup(shown.replace("::", "::<wbr>").replace(".", ".<wbr>"))


def _read_template(name: str) -> str:
    return (files("gdb_epi.fleet.report") / "templates" / name).read_text(encoding="utf-8")
