# SPDX-License-Identifier: Apache-2.0
"""`epi explain`: what a finding means, what else could cause it, and what to do next."""

from __future__ import annotations

from gdb_epi.errors import Absent, UsageError
from gdb_epi.registry import argument, command
from gdb_epi.report import Report
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session

WEIGHTS = "## What it counts in the verdict, and where the number comes from"


@command(
    "explain",
    arguments=(
        argument(
            "finding",
            nargs="?",
            metavar="FINDING",
            completes="findings",
            help="its name; none: a list",
        ),
    ),
    needs="nothing",
)
def explain(session: Session, args: Namespace) -> Report:
    """Explain a finding: what it saw, what else could cause it, and what to do next.

    Each weight is shown with its origin. Without a name all findings are listed. A finding's name
    stands in `epi triage --json` under findings, as `detector`. Items of `epi corruption` (R1, C2,
    S:poison) and its words (strong, ambiguous) have pages too.
    """
    from gdb_epi.corruption.explanation_pages import corruption_page, item_names, own_pages
    from gdb_epi.detectors.findings import DETECTORS
    from gdb_epi.detectors.pages import finding_page, pages
    from gdb_epi.judgement.explanations import finding_weights

    if not args.finding:
        rows = [(name, _title(finding_page(name))) for name in pages()]
        rows += [(name, _title(corruption_page(name))) for name in [*own_pages(), *item_names()]]
        rows = list(dict(rows).items())
        return Report("Findings", ("finding", "about"), rows)
    name = str(args.finding).strip().replace("-", "_")
    page = finding_page(name)
    if not isinstance(page, Absent):
        lines = [f"- {line}" for line in finding_weights(name)]
        page = "\n".join([page.rstrip("\n"), "", WEIGHTS, "", *lines])
    else:
        page = corruption_page(name)
    if isinstance(page, Absent):
        raise UsageError(page.detail, hint="epi explain, which lists them")
    document = {"finding": name, "page": page, "known": name in DETECTORS}
    return Report(f"explain {name}", lines=page.rstrip("\n").split("\n"), data=document)


def _title(page: str | Absent) -> str:
    return "" if isinstance(page, Absent) else page.split("\n", 1)[0].partition(": ")[2]
