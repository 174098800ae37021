# SPDX-License-Identifier: Apache-2.0
"""GitHub: workflow commands (annotations) and the summary of a job.

Reference: docs.github.com, "Workflow commands for GitHub Actions"; the escaping is that of
actions/toolkit, packages/core/src/command.ts: data has %, CR and LF escaped, properties : and ,
too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gdb_epi.render.ci.deaths import Death, SourceLine, innermost_source_line_in
from gdb_epi.render.escape import escape
from gdb_epi.util import counted

MAX_ANNOTATIONS = 10  # GitHub shows ten errors of a step
MAX_SUMMARY = 1 << 19  # bytes; GitHub refuses the summary of a step beyond 1 MiB


def github_error_annotation(title: str, text: str, place: SourceLine | None) -> str:
    """Return the workflow command of one error: one line, whatever the texts hold."""
    where = f"file={_escape_command_property(place.path)},line={place.line}," if place else ""
    return f"::error {where}title={_escape_command_property(title)}::{_escape_command_data(text)}"


def death_annotations(deaths: Sequence[Death], root: str) -> Iterator[str]:
    """Yield an error for each death; paths are relative to `root`, the checkout."""
    for death in deaths[:MAX_ANNOTATIONS]:
        place = innermost_source_line_in(death.record, root) or death.place
        yield github_error_annotation(f"{death.subject} {death.verb}", death.sentence, place)


def job_summary(deaths: Sequence[Death]) -> str:
    """Return Markdown for $GITHUB_STEP_SUMMARY: a table, and the screens folded below it."""
    lines = [f"### gdb-epi: {counted(len(deaths), 'death')}", ""]
    lines += ["| what | how | verdict | what happened |", "|---|---|---|---|"]
    for death in deaths:
        cells = (death.subject, death.verb, death.verdict, death.sentence)
        lines.append("| " + " | ".join(map(_escape_table_cell, cells)) + " |")
    text = "\n".join(lines) + "\n"
    for number, death in enumerate(deaths):
        # <pre> and entities: in a fence of backticks a name with backticks would end it.
        screen = "\n".join(_escape_html(line) for line in death.screen)
        more = (
            f"\n<details><summary>{_escape_html(death.subject)}</summary>\n\n<pre>{screen}</pre>\n"
        )
        more += "</details>\n"
        if len((text + more).encode()) > MAX_SUMMARY:
            return text + f"\n{counted(len(deaths) - number, 'more screen')} left out\n"
        text += more
    return text


def _escape_command_data(text: str) -> str:
    clean = "\n".join(escape(line) for line in text.replace("\r\n", "\n").split("\n"))
    return clean.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_command_property(text: str) -> str:
    return _escape_command_data(text).replace(":", "%3A").replace(",", "%2C")


def _escape_html(text: str) -> str:
    return escape(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _escape_table_cell(text: str) -> str:
    """Return text for the cell of a table: Markdown's own characters as entities."""
    clean = _escape_html(text)
    return "".join(f"&#{ord(char)};" if char in "|`*_[]\\~#$@" else char for char in clean)


# Texts that JUnit XML can hold: XML 1.0 section 2.2 has no place for most control characters.


MAX_TEXT = 16 << 10  # characters of one text
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BETWEEN_WHITESPACE = re.compile("[^\t\n\r]+")


def xml_safe_text(text: str) -> str:
    """Return text that XML can hold and that cannot reorder what a viewer shows."""
    allowed = _NO_XML.sub("\ufffd", text[:MAX_TEXT])
    return _BETWEEN_WHITESPACE.sub(lambda match: escape(match[0]), allowed)
