# SPDX-License-Identifier: Apache-2.0
"""`epi greenlets`: the stacks of suspended greenlets."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping

from gdb_epi.cpython.running.greenlets import ENDED, RUNNING, Greenlet, read_greenlets
from gdb_epi.record.stacks import frame_json, task_wait_json
from gdb_epi.registry import command, limit_argument
from gdb_epi.render.merged_stacks import nothing_found_line, task_frame_lines
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import counted, shortened_list

if TYPE_CHECKING:
    from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask


SHOWN_WAKERS = 4


@command("greenlets", arguments=(limit_argument(40, "frames per greenlet"),), shows_values=True)
def show_greenlets(session: Session, args: Namespace) -> Report:
    """Show greenlets (gevent, eventlet) and what each waits for.

    The stack of a suspended one is innermost first. The running greenlet of a thread is that
    thread's stack (epi bt). Those that wait alike at one place are one entry, named by the function
    that they were made of. Those that have ended are counted.
    """
    from gdb_epi.cpython.running.unfinished_tasks import (
        greenlet_framework,
        greenlet_name,
        read_greenlet_waits,
    )

    state = session.state
    python = state.required_python()
    listing = read_greenlets(state.target, python)
    waits = {each.id: each for each in read_greenlet_waits(state.target, python, listing.greenlets)}
    errors = [*listing.soft_errors, *state.python_soft_errors()]
    limit = args.limit
    ended = 0
    alike: dict[tuple[str, ...], list[Greenlet]] = {}
    for greenlet in listing.greenlets:
        if greenlet.state == ENDED:
            ended += 1
            continue
        own = (_state_words(greenlet, waits), *task_frame_lines(greenlet.stack, limit=limit))
        alike.setdefault(own, []).append(greenlet)
    lines: list[str] = []
    for (state_text, *frames), greenlets in sorted(
        alike.items(), key=lambda pair: pair[1][0].state != RUNNING
    ):
        first = greenlet_name(greenlets[0])
        if len(greenlets) > 1:
            name, _, address = first.rpartition(" at ")
            first = f"{len(greenlets)} alike: {name}, the first at {address}"
        lines += [f"{first}: {state_text}", *frames]
    if ended:
        lines.append(f"{counted(ended, 'greenlet')} that {'has' if ended == 1 else 'have'} ended")
    return Report(
        counted(len(listing.greenlets), "greenlet"),
        lines=lines or [nothing_found_line(state, "no greenlets were found", listing.soft_errors)],
        data={
            "greenlets": [
                {
                    "address": f"0x{greenlet.address:016x}",
                    "class": greenlet.shown,
                    "state": greenlet.state or None,
                    "main": greenlet.main,
                    "framework": greenlet_framework(greenlet),
                    "waits_for": task_wait_json(waits.get(greenlet.address)),
                    "stack": [frame_json(frame) for frame in greenlet.stack],
                }
                for greenlet in listing.greenlets
            ]
        },
        soft_errors=errors,
    )


def _state_words(greenlet: Greenlet, waits: Mapping[int, UnfinishedTask]) -> str:
    """Return the state of a greenlet, what it waits for, and who holds that."""
    from gdb_epi.cpython.running.wait_rules import LOCK, SEMAPHORE

    text = greenlet.state or "in an unknown state"
    if greenlet.main:
        text += ", the one that its thread began with"
    of = waits.get(greenlet.address)
    if of is not None and of.wait is not None:
        text += f", waits for {of.wait.text()}"
        if of.wakers:
            names = [_greenlet_name(waits, waker) for waker in of.wakers]
            held = "held by " if of.wait.kind in (LOCK, SEMAPHORE) else ""
            text += f"; {held}{shortened_list(names, SHOWN_WAKERS)}"
    elif of is not None and not of.running and of.framework == "gevent":
        text += ", nothing that would wake it was found"
    return text


def _greenlet_name(waits: Mapping[int, UnfinishedTask], address: int) -> str:
    return waits[address].name if address in waits else f"greenlet at {address:#x}"
