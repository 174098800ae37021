# SPDX-License-Identifier: Apache-2.0
"""Reports of a campaign: words for people; JUnit XML, annotations and deaths for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.record.record_parts import get_group, grouping_key_line
from gdb_epi.render.ci.deaths import CRASHED, HUNG, Death, innermost_source_line_in
from gdb_epi.render.ci.github import MAX_ANNOTATIONS, github_error_annotation, xml_safe_text
from gdb_epi.render.opening_sentences import escaped_opening
from gdb_epi.render.triage import explaining_calls, opening_text
from gdb_epi.repro.campaign import (
    EXPECTED,
    OTHER,
    CampaignCounts,
    ExaminedCrash,
    RunResult,
    SoughtCrash,
    upper_limit_without_success,
)
from gdb_epi.repro.expected_crash import describe_key_match
from gdb_epi.repro.run_once import HANG, UNABLE
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted, pick_attributes

MAX_LAST_LINE = 200  # characters of what a failed run printed last


def percent_text(rate: float) -> str:
    """Return a rate as words: 0.3 -> "30.0 %"."""
    return f"{100 * rate:.3g} %" if rate < 0.01 else f"{100 * rate:.1f} %"


def describe_run(result: RunResult, aim: SoughtCrash | None = None) -> str:
    """Return one line on one run."""
    lone = (
        aim is not None
        and aim.expectation is not None
        and aim.expectation.is_one_key_of_unknown_name
    )
    run = result.run
    words = [f"run {run.number + 1}:"]
    crash = result.most_similar_crash
    summary = _crash_summary(crash) if crash is not None else ""
    if run.kind == HANG:
        words.append(f"hung, stopped after {run.seconds:g} s{f': {summary}' if summary else ''}")
    elif result.meaning in (EXPECTED, OTHER):
        words.append(summary or "crashed")
    elif result.meaning == UNABLE:
        words.append("could not be run")
    else:
        words.append(f"ended with status {run.status}")
        if run.status and (last := run.tail.strip().rpartition("\n")[2].strip()):
            words[-1] += f": {last[:MAX_LAST_LINE]}"
    if crash is not None and crash.match:
        words.append(f"- {describe_key_match(crash.match, lone=lone)}")
    words += [f"- {problem}" for problem in result.trouble[:2]]
    return " ".join(words)


def _crash_summary(crash: ExaminedCrash) -> str:
    """Return the first sentence of its answer, and its key, which `fleet seen` takes."""
    sentence = next(iter(escaped_opening(crash.record, explaining_calls(crash.record))), "")
    sentence = sentence.removesuffix(".")
    key = get_group(get_group(crash.record, "signature"), "group").get("value")
    return f"{sentence} (key {key})" if key else sentence


def crash_category(crash: ExaminedCrash) -> str:
    """Return the category of a crash."""
    return str(get_group(crash.record, "signature").get("category", "unknown"))


def campaign_summary(counts: CampaignCounts, aim: SoughtCrash) -> list[str]:
    """Return the answer: counts, the rate with its interval, and what they are based on."""
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
        f"rate {percent_text(interval.rate)}, {sure} interval {percent_text(interval.low)} to "
        f"{percent_text(interval.high)} ({how})"
    )
    if counts.did_every_run_fail:
        lines.append(
            "each run ended with an error, so nothing is shown about the crash: see what it "
            "printed; if that status is no error: sh -c '...; true'"
        )
    elif not counts.expected and counts.ended:
        top = percent_text(upper_limit_without_success(counts.ended, interval.confidence))
        lines.append(f"a crash that comes in more than {top} of the runs would have shown ({sure})")
    if not counts.expected and counts.other:
        lines.append("what crashed otherwise ended its run: the expected crash may have come later")
        if aim.expectation is not None and aim.expectation.is_one_key_of_unknown_name:
            lines.append(
                "another version of Python gives the same crash other keys; to compare by the "
                "coarse key: --expect RECORD.json --at coarse"
            )
    return lines


def campaign_json(
    results: Sequence[RunResult], counts: CampaignCounts, aim: SoughtCrash, capture: str
) -> dict[str, Any]:
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
        "counts": pick_attributes(counts, "runs", "expected", "other", "ended", "unable"),
        "rate": None if interval is None else interval._asdict(),
        "stopped_at_first": counts.stopped_at_first,
        "runs": [_run_json(result) for result in results],
    }  # fmt: skip


def _run_json(result: RunResult) -> dict[str, Any]:
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


def _crashes_by_signature(results: Sequence[RunResult]) -> dict[tuple[str, str], list[RunResult]]:
    """Return what crashed or hung by its meaning and its signature."""
    groups: dict[tuple[str, str], list[RunResult]] = {}
    for result in results:
        if result.meaning in (EXPECTED, OTHER):
            what = "no core of it was found"
            if result.most_similar_crash:
                what = grouping_key_line(get_group(result.most_similar_crash.record, "signature"))
            groups.setdefault((result.meaning, what), []).append(result)
    return groups


def github_annotations(results: Sequence[RunResult], root: str) -> Iterator[str]:
    """Yield GitHub's workflow commands: an error for each distinct crash, counted."""
    for (meaning, what), same in list(_crashes_by_signature(results).items())[:MAX_ANNOTATIONS]:
        crash = same[0].most_similar_crash
        title = f"{_crashed_or_hung(same[0])} in {len(same)} of {counted(len(results), 'run')}"
        title += " (not the expected crash)" if meaning == OTHER else ""
        text = opening_text(crash.record) if crash else what
        yield github_error_annotation(
            title, text, innermost_source_line_in(crash.record, root) if crash else None
        )


def distinct_deaths(results: Sequence[RunResult], command: Sequence[str]) -> list[Death]:
    """Return each distinct crash or hang, with how often it came."""
    deaths = []
    for (meaning, what), same in _crashes_by_signature(results).items():
        crash = same[0].most_similar_crash
        subject = " ".join(command) + (" (not the expected crash)" if meaning == OTHER else "")
        sentence = opening_text(crash.record) if crash else what
        record = crash.record if crash else {}
        deaths.append(Death(subject, _crashed_or_hung(same[0]), sentence, record, times=len(same)))
    return deaths


def _crashed_or_hung(result: RunResult) -> str:
    return HUNG if result.run.kind == HANG else CRASHED


def junit_xml(
    results: Sequence[RunResult], tally: CampaignCounts, aim: SoughtCrash, command: Sequence[str]
) -> bytes:
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
    for name, value in (
        ("command", " ".join(command)),
        ("answer", " ".join(campaign_summary(tally, aim))),
    ):
        Tree.SubElement(properties, "property", {"name": name, "value": xml_safe_text(value)})
    for result in results:
        _add_testcase(suite, result, aim)
    text: bytes = Tree.tostring(root, encoding="utf-8", xml_declaration=True)
    return text


def _add_testcase(suite: Any, result: RunResult, aim: SoughtCrash) -> None:
    from xml.etree import ElementTree as Tree

    name = {"classname": "gdb-epi.repro", "name": f"run {result.run.number + 1}"}
    case = Tree.SubElement(suite, "testcase", {**name, "time": f"{result.run.seconds:.3f}"})
    crash = result.most_similar_crash
    if result.meaning in (EXPECTED, OTHER):
        kind = "hang" if result.run.kind == HANG else crash_category(crash) if crash else "unsigned"
        message = xml_safe_text(describe_run(result, aim))
        failure = Tree.SubElement(case, "failure", {"type": kind, "message": message})
        texts = get_group(get_group(crash.record, "signature"), "text") if crash else {}
        failure.text = xml_safe_text("\n".join(texts.values()))
    elif result.meaning == UNABLE:
        Tree.SubElement(case, "error", {"message": xml_safe_text(describe_run(result, aim))})
    Tree.SubElement(case, "system-out").text = xml_safe_text(result.run.tail)
