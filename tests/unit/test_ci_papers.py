# SPDX-License-Identifier: Apache-2.0
"""What a CI is told: annotations, job summaries, SARIF, and the lines that they point at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.sarif import results_of

from gdb_epi.render.ci.deaths import (
    CRASHED,
    HUNG,
    Death,
    SourceLine,
    innermost_source_line_in,
    source_root,
)
from gdb_epi.render.ci.github import death_annotations, github_error_annotation, job_summary
from gdb_epi.render.ci.sarif import sarif_log

KEYS = {"stable": "a" * 16, "python": "b" * 16, "exact": "c" * 16}
LINE = "gsig/2 stable segv-null memset <-- py:app.fill"


def record(*frames: tuple[str, int], label: str = "software") -> dict[str, Any]:
    stack = [
        {"language": "python", "name": "fill", "filename": name, "lineno": line}
        for name, line in frames
    ]
    native = {"language": "native", "function": "memset", "module": "libc.so.6"}
    return {
        "verdict": {"label": label},
        "signature": {"category": "segv-null", "keys": KEYS, "text": {"stable": LINE}},
        "threads": {"crashed": {"frames": [native, *stack]}},
    }


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder of sources below the home of a user, with packages beside them."""
    folder = tmp_path / "home" / "alice" / "work"
    (folder / ".venv/lib/python3.12/site-packages/numpy").mkdir(parents=True)
    for name in ("app.py", "odd name%.py", ".venv/lib/python3.12/site-packages/numpy/core.py"):
        (folder / name).write_text("")
    return folder


def test_an_annotation_is_one_line_with_its_properties_escaped() -> None:
    """As actions/toolkit escapes: data %, CR, LF; in properties : and , too."""
    made = github_error_annotation(
        "50% of a:b,c\r\nd", "100%\r\nnext: a, b\rc", SourceLine("a,b:c%.py", 7)
    )
    head, _, data = made.removeprefix("::error ").partition("::")
    assert head == "file=a%2Cb%3Ac%25.py,line=7,title=50%25 of a%3Ab%2Cc%0Ad"
    assert data == "100%25%0Anext: a, b\\x0dc"
    # What steers the runner is its own line that begins with ::, and a terminal its controls.
    hostile = github_error_annotation("t", "x\n::set-output name=a::b\x1b[2J", None)
    assert "\n" not in hostile and "\x1b" not in hostile


def test_the_line_pointed_at_is_the_innermost_of_the_users_own(checkout: Path) -> None:
    library = f"{checkout}/.venv/lib/python3.12/site-packages/numpy/core.py"
    frames = ((library, 3), ("<frozen runpy>", 9), (f"{checkout}/app.py", 12), (library, 1))
    assert innermost_source_line_in(record(*frames), str(checkout)) == SourceLine("app.py", 12)
    assert innermost_source_line_in(record((library, 3)), str(checkout)) is None
    assert innermost_source_line_in(record(("/elsewhere/app.py", 3)), str(checkout)) is None


def test_a_record_without_users_names_is_still_matched_with_the_checkout(checkout: Path) -> None:
    """GitHub's runners check out below /home/runner, and records have /home/~."""
    redacted = f"{checkout}/app.py".replace("/alice/", "/~/")
    assert innermost_source_line_in(record((redacted, 12)), str(checkout)) == SourceLine(
        "app.py", 12
    )


def test_paths_are_relative_to_the_checkout_of_the_ci() -> None:
    github = {"GITHUB_WORKSPACE": "/w/repo"}
    assert source_root(github, "/w/repo/sub") == "/w/repo"
    assert source_root(github, "/w/repository") == "/w/repository"
    assert source_root({"CI_PROJECT_DIR": "/builds/a"}, "/builds/a") == "/builds/a"
    assert source_root({}, "/x") == "/x"


def test_sarif_has_what_the_standard_demands(checkout: Path) -> None:
    first = record((f"{checkout}/app.py", 12))
    deaths = [
        Death("test_a", CRASHED, "It crashed.", first),
        Death("test_b", CRASHED, "It crashed.", first, times=2),
        Death("odd", HUNG, "It hung.", record((f"{checkout}/odd name%.py", 1), label="hang")),
        Death("away", CRASHED, "It crashed.", record(("/srv/away.py", 5))),
        Death("no core", CRASHED, "No core was found.", {}, place=SourceLine("app.py", 3)),
        Death("no place", CRASHED, "x\x1b[1m", {}),
    ]
    log = json.loads(json.dumps(sarif_log(deaths, str(checkout), ["core.9: not a core"])))
    results = results_of(log)
    assert [r["ruleId"] for r in results] == [
        "software/segv-null",
        "hang/segv-null",
        "software/segv-null",
        "no-core/no-core",
        "no-core/no-core",
    ]
    places = [
        (at["artifactLocation"]["uri"], at["region"]["startLine"])
        for r in results
        for at in (location["physicalLocation"] for location in r.get("locations", ()))
    ]
    assert places == [
        ("app.py", 12),
        ("odd%20name%25.py", 1),
        ("file:///srv/away.py", 5),
        ("app.py", 3),
    ]
    assert results[0]["occurrenceCount"] == 3, "one signature at one place is one result"
    assert results[0]["partialFingerprints"] == {
        "gsig/2/stable": KEYS["stable"],
        "gsig/2/python": KEYS["python"],
    }
    assert "locations" not in results[4] and "\x1b" not in json.dumps(results)
    (invocation,) = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False


@pytest.mark.parametrize(
    "name", ["/srv/a\udce9.py", "/srv/a\ud800.py", "/srv/a\0.py", "a\udce9.py"]
)
@pytest.mark.parametrize("line", [3, 0, -4])
def test_sarif_of_names_and_lines_that_no_file_has(checkout: Path, name: str, line: int) -> None:
    """Of a folder that is not UTF-8, or of damage: the name is escaped, and lines count from 1."""
    (result,) = results_of(
        sarif_log([Death("t", CRASHED, "s", record((name, line)))], str(checkout))
    )
    assert ("locations" in result) == (line > 0)
    assert len(result["stacks"][0]["frames"]) == 2


def test_a_job_summary_cannot_be_steered_by_names() -> None:
    sentence = "a | b <script> `x` @team [l](u)"
    screen = ["```", "</pre><b>", sentence]
    text = job_summary([Death("t[a|b]", CRASHED, sentence, record(), screen)])
    row = next(line for line in text.splitlines() if "team" in line)
    assert row.count("|") == 5 and "<script" not in text and "@team [" not in row
    assert "</pre><b>" not in text and "&lt;/pre&gt;" in text


def test_a_job_summary_stays_below_what_github_takes() -> None:
    deaths = [Death(f"t{n}", CRASHED, "s", record(), ["x" * 80] * 400) for n in range(60)]
    text = job_summary(deaths)
    assert len(text.encode()) < 1 << 20 and "more screens left out" in text


def test_not_more_annotations_than_github_shows() -> None:
    deaths = [Death(f"t{n}", CRASHED, "s", record()) for n in range(30)]
    assert len(list(death_annotations(deaths, "/"))) == 10
