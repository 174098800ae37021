# SPDX-License-Identifier: Apache-2.0
"""`epi fork`: is this a forked child, and what did the fork leave behind?"""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.detectors.registry import hex_word
from gdb_epi.errors import Absent
from gdb_epi.locks.fork.vanished_pools import find_vanished_pools, guess_role_of_vanished_thread
from gdb_epi.locks.types import ForkEvidence, LockReport, VanishedThread
from gdb_epi.record.stacks import frame_json
from gdb_epi.registry import argument, command, limit_argument
from gdb_epi.render.vanished_threads import vanished_lines, vanished_summary
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gdb_epi.locks.fork.return_addresses import ReturnAddress

COLUMNS = ("sign", "reading", "says", "sure")


@command(
    "fork",
    arguments=(
        argument("--native", action="store_true", help="also heuristic native stacks (slower)"),
        argument("--evidence", action="store_true", help="every sign of a fork and its reading"),
        limit_argument(40, "frames per thread"),
    ),
)
def show_fork_evidence(session: Session, args: Namespace) -> Report:
    """Tell whether this is a forked child, and what it left behind.

    A fork as such is a fact, not a fault: daemons and pools fork too. The stacks of the threads
    that were not copied are those of the moment of the fork; --native adds return addresses found
    on them: a heuristic. --evidence shows every sign F1 to F15 with its reading, or with why it
    could not be read.
    """
    report = session.state.locks
    scanned: dict[int | None, list[ReturnAddress] | Absent] = {}
    if args.native:
        from gdb_epi.locks.fork.return_addresses import ReturnAddressScanner

        scanner = ReturnAddressScanner(session.target)
        scanned = {thread.ident: scanner.scan(thread) for thread in report.vanished.threads}

    def native_lines_below(thread: VanishedThread) -> list[str]:
        return _native_stack_lines(scanned[thread.ident]) if args.native else []

    lines = _fork_sentences(report)
    if report.fork.forked:
        lines += ["", vanished_summary(report.vanished)]
        lines += vanished_lines(report.vanished, limit=args.limit, below=native_lines_below)
    rows = [(r.name, r.state, r.says, r.sure) for r in report.fork.readings if args.evidence]
    return Report(
        "Signs of a fork",
        COLUMNS,
        rows,
        lines=lines,
        data=_fork_json(report, scanned),
        soft_errors=report.vanished.soft_errors,
    )


def _fork_sentences(report: LockReport) -> list[str]:
    """Return what is known of the fork, a sentence each."""
    fork, handlers = report.fork, report.handlers
    if fork.forked is None:
        return [
            "Whether this is a forked child cannot be told. What was looked at: epi fork --evidence"
        ]
    if fork.forked:
        lines = _lines_about_fork(fork)
        if handlers is None and fork.hooks_bypassed is not None:
            lines.append(
                "CPython's after-fork hooks were bypassed: every lock came as it was in the parent."
                if fork.hooks_bypassed
                else "CPython's after-fork hooks ran."
            )
    else:
        lines = ["This is not a forked child: nothing of another process was inherited since exec."]
    if fork.started_by is not None:
        lines.append(f"{fork.started_by[:1].upper()}{fork.started_by[1:]}.")
    if handlers is not None:
        where = f"Thread {handlers.tid} is in {handlers.stage}"
        lines.append(f"{where} ({handlers.sure}): {handlers.says}.")
    for pool in find_vanished_pools(report.vanished):
        workers = ", ".join(pool.workers[:4]) + (", ..." if len(pool.workers) > 4 else "")
        lines.append(
            f"Without workers here: {pool.kind} ({len(pool.workers)}: {workers}); {pool.witness}."
        )
    if fork.forked and fork.lineage is not None:
        lines.append(f"This number is the same for its parent and its siblings: {fork.lineage}.")
    return lines


def _lines_about_fork(fork: ForkEvidence) -> list[str]:
    lines = ["This is a forked child."]
    if fork.depth is None:
        lines.append("How many forks lead to it from the start of the program cannot be told.")
    else:
        lines.append(
            "Its parent is the process that the program was started as."
            if fork.depth == 1
            else f"{fork.depth} forks lie between it and the start of the program."
        )
    if fork.parent_multithreaded is None:
        lines.append("Whether its parent had more threads cannot be told.")
    elif fork.parent_multithreaded:
        lines.append("Its parent had more threads than the one that forked.")
    else:
        lines.append("Its parent had one thread.")
    if fork.from_main_thread is not None:
        lines.append(
            "The main thread forked."
            if fork.from_main_thread
            else "It was forked by a thread, not the main one."
        )
    return lines


def _native_stack_lines(addresses: list[ReturnAddress] | Absent) -> list[str]:
    if isinstance(addresses, Absent):
        return [f"  (no native stack: {addresses.detail})"]
    lines = ["  stack at fork, heuristic (return addresses; inner ones may be stale):"]
    for address in addresses:
        module = (address.module or "?").rpartition("/")[2]
        name = (
            f"{address.function}+{address.offset:#x}"
            if address.function
            else f"{module}+{address.offset:#x}"
        )
        lines.append(f"    {address.at:#018x}  {name}  in {module}")
    return lines


def _fork_json(
    report: LockReport, scanned: dict[int | None, list[ReturnAddress] | Absent]
) -> dict[str, Any]:
    fork = report.fork
    handlers = report.handlers
    return {
        "forked": fork.forked,
        "depth": fork.depth,
        "parent_multithreaded": fork.parent_multithreaded,
        "from_main_thread": fork.from_main_thread,
        "hooks_bypassed": fork.hooks_bypassed,
        "forker_old_tid": fork.forker_old_tid,
        "started_by": fork.started_by,
        "lineage": fork.lineage,
        "handlers": None
        if handlers is None
        else {key: value for key, value in handlers._asdict().items() if key != "frame"},
        "signs": [reading._asdict() for reading in fork.readings],
        "at_least": report.vanished.at_least,
        "vanished": [
            _vanished_thread_json(thread, scanned.get(thread.ident))
            for thread in report.vanished.threads
        ],
        "pools": [pool._asdict() for pool in find_vanished_pools(report.vanished)],
        "soft_errors": report.soft_errors,
    }


def _vanished_thread_json(
    thread: VanishedThread, native: list[ReturnAddress] | Absent | None
) -> dict[str, Any]:
    role = guess_role_of_vanished_thread(thread)
    fields: dict[str, Any] = {
        "ident": None if thread.ident is None else hex_word(thread.ident),
        "tid": thread.tid,
        "name": thread.name,
        "main": thread.is_main,
        "stack": None if thread.stack is None else [hex_word(at) for at in thread.stack],
        "module": thread.module,
        "role": role[0] if role is not None else None,
        "how": thread.how or None,
        "missing": thread.missing or None,
        "frames": [frame_json(frame) for frame in thread.frames],
    }
    if isinstance(native, list):
        fields["native_heuristic"] = [
            {**address._asdict(), "at": hex_word(address.at), "pc": hex_word(address.pc)}
            for address in native
        ]
    return fields
