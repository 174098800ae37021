# SPDX-License-Identifier: Apache-2.0
"""`epi explain`: what a finding or a verdict means, what else could cause it, what to do next."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence

from gdb_epi.errors import Absent, UsageError
from gdb_epi.registry import argument, command
from gdb_epi.render.escape import wrap_text
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.typing_lite import Any

WEIGHTS = "What it counts in the verdict, and where the number comes from"


@command(
    "explain",
    arguments=(
        argument(
            "finding",
            nargs="?",
            metavar="NAME",
            completes="findings",
            help="its name, or a verdict as damaged-memory; none: those of this core",
        ),
        argument("--all", action="store_true", help="all pages; with a name: all weights"),
    ),
    needs="nothing",
)
def explain_finding(session: Session, args: Namespace) -> Report:
    """Explain a finding or a verdict: what it says, other causes, what to do next.

    Without a name: what was found in this core, each with the line that shows its page. Signs of
    `epi corruption --evidence` (R1, C2, S:poison) and its words (strong, ambiguous) have pages too.
    With --all the page ends with what the finding counts in the verdict, and where that comes from.
    """
    import gdb_epi.detectors
    from gdb_epi.corruption.explanation_pages import (
        items_with_pages,
        list_written_pages,
        read_corruption_page,
    )
    from gdb_epi.detectors.finding_pages import finding_page, label_page, page_names
    from gdb_epi.detectors.registry import DETECTORS
    from gdb_epi.judgement.finding_weights import describe_finding_weights
    from gdb_epi.judgement.labels import LABELS
    from gdb_epi.loader import import_all_modules

    import_all_modules(gdb_epi.detectors)  # what a finding speaks for stands with its detector
    if not args.finding:
        rows = [(label, _page_title(label_page(label))) for label in LABELS]
        rows += [(name, _page_title(finding_page(name))) for name in page_names()]
        rows += [
            (name, _page_title(read_corruption_page(name)))
            for name in [*list_written_pages(), *items_with_pages()]
        ]
        titles = dict(rows)
        here = _findings_of_loaded_core(session)
        listed: dict[str, Any] = {"here": here, "pages": titles}
        if args.all:
            return Report("Findings", ("finding", "about"), list(titles.items()), data=listed)
        return _report_of_findings_here(here, titles, listed, core=session.has_target)
    ending: list[str] = []
    name = str(args.finding).strip().replace("-", "_")
    label = name.replace("_", "-")
    if label in LABELS:
        name, page = label, label_page(label)
    elif name in DETECTORS:
        page = finding_page(name)
        ending = [f"How much it counts in the verdict: epi explain {name} --all"]
        if args.all:
            ending = [WEIGHTS, "", *(f"- {line}" for line in describe_finding_weights(name))]
        ending = ["", *ending]
    else:
        page = read_corruption_page(name)
    if isinstance(page, Absent):
        raise UsageError(f"there is no page about {args.finding!r}", hint="epi explain --all")
    text, weight, _ = page.partition("\nWeight: ")  # of a sign of `epi corruption`
    if weight and not args.all:
        page, ending = text, ["", f"How much it counts in the verdict: epi explain {name} --all"]
    document = {
        "finding": name,
        "page": "\n".join([page.rstrip("\n"), *ending]),
        "known": name in DETECTORS,
    }
    return Report(f"explain {name}", lines=[*_page_lines(page), *ending], data=document)


def _page_lines(page: str) -> list[str]:
    """Return the lines of a page of Markdown as plain text, filled anew; rows become entries."""
    title, _, body = page.rstrip("\n").partition("\n")
    name, _, about = title.lstrip("# ").partition(": ")
    parts = [f"{about[:1].upper()}{about[1:]} ({name})"]
    apart = True
    lines = body.split("\n")
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        is_row = line.startswith("|")
        if is_row and ("---" in line or "---" in below):
            continue  # the head of a table
        if apart or is_row or not line or line.startswith("#") or _list_mark(line):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            parts.append(f"- {': '.join(cells)}" if is_row else line.lstrip("#").lstrip())
        else:
            parts[-1] += f" {line.strip()}"
        apart = is_row or not line or line.startswith("#")
    marks = map(_list_mark, parts)
    filled = [wrap_text(part[len(mark) :], mark) for part, mark in zip(parts, marks, strict=True)]
    return [line for part in filled for line in (part or [""])]


def _list_mark(line: str) -> str:
    """Return "- " or "1. " of an entry of a list; "" of another line."""
    mark = line.partition(" ")[0]
    return f"{mark} " if mark == "-" or mark.rstrip(".").isdigit() else ""


def _findings_of_loaded_core(session: Session) -> list[str]:
    """Return the findings and signs of the core that is loaded, in the record's order."""
    if not session.has_target:
        return []
    from gdb_epi.analysis import analyze
    from gdb_epi.record.record_parts import get_group, get_groups

    record = analyze(session)
    names = [str(finding.get("detector")) for finding in get_groups(record, "findings")]
    signs = get_groups(get_group(record, "corruption"), "evidence")
    return list(dict.fromkeys([*names, *(str(sign.get("id")) for sign in signs)]))


def _report_of_findings_here(
    here: Sequence[str], titles: Mapping[str, str], data: Mapping[str, Any], *, core: bool
) -> Report:
    """Return what was found here, and how to see the rest."""
    # The title of a graded sign names another one: "as P9, and ...".
    shown = [name for name in here if name in titles and not titles[name].startswith("as ")]
    rest = f"All {len(titles)} pages: epi explain --all"
    if not shown:
        nothing = "Nothing was found here that has a page." if core else "No core is loaded."
        return Report("Findings", lines=[nothing, rest], data=data)
    lines = ["Found here, each with the command that explains it:"]
    for name in shown:
        title = titles[name]
        lines += wrap_text(f"{title[:1].upper()}{title[1:]}", "- ")
        lines.append(f"      epi explain {name}")
    return Report("Findings", lines=[*lines, rest], data=data)


def _page_title(page: str | Absent) -> str:
    return "" if isinstance(page, Absent) else page.split("\n", 1)[0].partition(": ")[2]
