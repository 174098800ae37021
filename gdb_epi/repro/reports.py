# SPDX-License-Identifier: Apache-2.0
"""What a campaign says: words for people, JUnit XML and GitHub annotations for machines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from gdb_epi.record.reading import group_in, grouping_line
from gdb_epi.render.escape import escape
from gdb_epi.repro.campaign import EXPECTED, OTHER, Crash, Goal, Result, Tally
from gdb_epi.repro.expected_crash import match_text
from gdb_epi.repro.interval import highest_unseen
from gdb_epi.repro.running import HANG, UNABLE
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted

MAX_TEXT = 16 << 10  # characters of one output in JUnit XML
MAX_ANNOTATIONS = 10  # GitHub shows ten errors of a step
# XML 1.0 section 2.2 has no place for these, escaped or not.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BETWEEN_WHITESPACE = re.compile("[^\t\n\r]+")


def percent(rate: float) -> str:
    """Return a rate as words: 0.3 -> "30.0 %"."""
    return f"{100 * rate:.3g} %" if rate < 0.01 else f"{100 * rate:.1f} %"


def run_line(result: Result) -> str:
    """Return one line on one run."""
    run = result.run
    words = [f"run {run.number + 1}:"]
    if run.kind == HANG:
        words.append(f"hung, stopped after {run.seconds:.0f} s")
    elif result.meaning in (EXPECTED, OTHER):
        words.append("crashed")
    elif result.meaning == UNABLE:
        words.append("could not be run")
    else:
        words.append(f"ended with status {run.status}")
    crash = result.best
    if crash is not None:
        words.append(f"({category(crash)})")
        line = grouping_line(group_in(crash.record, "signature"))
        words.append(f"- {match_text(crash.match)}" if crash.match else f"- {line}")
    words += [f"- {problem}" for problem in result.trouble[:2]]
    return " ".join(words)


def category(crash: Crash) -> str:
    """Return the category of a crash."""
    return str(group_in(crash.record, "signature").get("category", "unknown"))


def summary(counts: Tally, aim: Goal) -> list[str]:
    """Return the answer: counts, the rate with its interval, and what it rests on."""
    crashed = f"{counts.expected} crashed or hung"
    if aim.expectation:
        crashed = f"{counts.expected} crashed as expected, {counts.other} crashed or hung otherwise"
    unable = f"; {counts.unable} could not be run" if counts.unable else ""
    lines = [f"{counted(counts.runs, 'run')}: {crashed}, {counts.ended} ended{unable}"]
    interval = counts.interval
    if interval is None:
        return lines
    how = "stopped at the first" if counts.stopped_at_first else "all runs done"
    sure = f"{100 * interval.confidence:g} %"
    lines.append(
        f"rate {percent(interval.rate)}, {sure} interval {percent(interval.low)} to "
        f"{percent(interval.high)} (exact, {how})"
    )
    if not counts.expected and counts.ended:
        top = percent(highest_unseen(counts.ended, interval.confidence))
        lines.append(f"a crash that comes in more than {top} of the runs would have shown ({sure})")
    if not counts.expected and counts.other:
        lines.append("what crashed otherwise ended its run: the expected crash may have come later")
    return lines


def document(results: Sequence[Result], counts: Tally, aim: Goal, capture: str) -> dict[str, Any]:
    """Return the whole campaign as JSON values; the records of the crashes are in it."""
    interval = counts.interval
    return {
        "schema": "gdb-epi/repro/1",
        "reproduced": counts.expected > 0,
        "capture": capture,
        "level": aim.level,
        "expected": None
        if aim.expectation is None
        else {name: sorted(values) for name, values in aim.expectation.keys.items()},
        "counts": {
            "runs": counts.runs, "expected": counts.expected, "other": counts.other,
            "ended": counts.ended, "unable": counts.unable,
        },
        "rate": None if interval is None else interval._asdict(),
        "stopped_at_first": counts.stopped_at_first,
        "runs": [_run_json(result) for result in results],
    }  # fmt: skip


def _run_json(result: Result) -> dict[str, Any]:
    return {
        "number": result.run.number,
        "kind": result.run.kind,
        "meaning": result.meaning,
        "status": result.run.status,
        "seconds": round(result.run.seconds, 3),
        "trouble": list(result.trouble),
        "crashes": [
            {"match": None if c.match is None else c.match._asdict(), "record": dict(c.record)}
            for c in result.crashes
        ],
    }


def github(results: Sequence[Result], folder: str) -> Iterator[str]:
    """Yield GitHub's workflow commands: an error for each distinct crash, counted."""
    groups: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        if result.meaning in (EXPECTED, OTHER):
            crash = result.best
            what = "no core of it was found"
            if crash:
                what = grouping_line(group_in(crash.record, "signature"))
            groups.setdefault((result.meaning, what), []).append(result)
    for (meaning, what), same in list(groups.items())[:MAX_ANNOTATIONS]:
        crash = same[0].best
        verb = "hung" if same[0].run.kind == HANG else "crashed"
        title = f"{verb} in {len(same)} of {counted(len(results), 'run')}"
        title += " (not the expected crash)" if meaning == OTHER else ""
        place = _place(crash, folder) if crash else ""
        yield f"::error {place}title={_property(title)}::{_data(what)}"


def _place(crash: Crash, folder: str) -> str:
    """Return file and line of the innermost Python frame whose file lies below a folder."""
    frames = group_in(group_in(crash.record, "threads"), "crashed").get("frames")
    for frame in frames or ():
        name, line = frame.get("filename"), frame.get("lineno")
        if frame.get("language") == "python" and isinstance(name, str) and isinstance(line, int):
            path = os.path.normpath(os.path.join(folder, name))
            if path.startswith(folder.rstrip("/") + "/") and os.path.isfile(path):
                return f"file={_property(os.path.relpath(path, folder))},line={line},"
    return ""


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def junit(results: Sequence[Result], tally: Tally, aim: Goal, command: Sequence[str]) -> bytes:
    """Return JUnit XML: one case a run; a crash or hang is a failure, no start an error."""
    from xml.etree import ElementTree as Tree

    seconds = f"{sum(result.run.seconds for result in results):.3f}"
    counts = {
        "tests": str(len(results)),
        "failures": str(tally.expected + tally.other),
        "errors": str(tally.unable),
        "skipped": "0",
        "time": seconds,
    }
    root = Tree.Element("testsuites", counts)
    suite = Tree.SubElement(root, "testsuite", {"name": "gdb-epi repro", **counts})
    properties = Tree.SubElement(suite, "properties")
    for name, value in (("command", " ".join(command)), ("answer", " ".join(summary(tally, aim)))):
        Tree.SubElement(properties, "property", {"name": name, "value": _xml(value)})
    for result in results:
        _case(suite, result)
    text: bytes = Tree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text


def _case(suite: Any, result: Result) -> None:
    from xml.etree import ElementTree as Tree

    name = {"classname": "gdb-epi.repro", "name": f"run {result.run.number + 1}"}
    case = Tree.SubElement(suite, "testcase", {**name, "time": f"{result.run.seconds:.3f}"})
    crash = result.best
    if result.meaning in (EXPECTED, OTHER):
        kind = "hang" if result.run.kind == HANG else category(crash) if crash else "unsigned"
        message = _xml(run_line(result))
        failure = Tree.SubElement(case, "failure", {"type": kind, "message": message})
        texts = group_in(group_in(crash.record, "signature"), "text") if crash else {}
        failure.text = _xml("\n".join(texts.values()))
    elif result.meaning == UNABLE:
        Tree.SubElement(case, "error", {"message": _xml(run_line(result))})
    Tree.SubElement(case, "system-out").text = _xml(result.run.tail)


def _xml(text: str) -> str:
    """Return text that XML can hold and that cannot reorder what a viewer shows."""
    allowed = _NO_XML.sub("\ufffd", text[:MAX_TEXT])
    return _BETWEEN_WHITESPACE.sub(lambda match: escape(match[0]), allowed)
