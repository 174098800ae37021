# SPDX-License-Identifier: Apache-2.0
"""`epi generators`: where generators and coroutines are suspended, and who delegates to whom."""

from __future__ import annotations

from gdb_epi.cpython.generators import Chain, generator_chains
from gdb_epi.cpython.types import PyFrame
from gdb_epi.lean import TYPE_CHECKING
from gdb_epi.registry import argument, command
from gdb_epi.render.stack import nothing_found
from gdb_epi.report import Report
from gdb_epi.stacks import frame_json
from gdb_epi.words import counted

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session


@command(
    "generators",
    arguments=(
        argument("--limit", type=int, default=200, metavar="N", help="chains to show (200)"),
    ),
)
def generators(session: Session, args: Namespace) -> Report:
    """Show generators, coroutines and async generators that have not ended, outermost first.

    Those that others delegate to by `yield from` or `await` stand behind these, after a `>`. A
    running one is in a thread's stack. `epi tasks` shows those that belong to asyncio tasks with
    more detail.
    """
    state = session.state
    found = generator_chains(state.target, state.required_python())
    errors = [*state.all_soft_errors(), *found.soft_errors]
    lines = [_line(one) for one in found.chains[: max(args.limit, 0)]]
    if len(found.chains) > len(lines):
        lines.append(f"... {len(found.chains) - len(lines)} more (--limit N)")
    return Report(
        f"{counted(len(found.chains), 'chain')} of generators",
        lines=lines
        or [nothing_found(state, "no generators or coroutines were found that have not ended")],
        data={
            "generators": [
                {
                    "address": f"0x{one.address:016x}",
                    "kind": one.kind,
                    "name": one.name or None,
                    "state": one.suspended.state or None,
                    "tid": one.tid,
                    "awaits": one.awaits or None,
                    "stack": [frame_json(frame) for frame in one.suspended.frames],
                }
                for one in found.chains
            ],
            "soft_errors": [error._asdict() for error in errors],
        },
        soft_errors=errors,
    )


def _line(one: Chain) -> str:
    chain = " > ".join(_place(frame) for frame in reversed(one.suspended.frames))
    where = f" in thread {one.tid}" if one.tid is not None else ""
    waits = f"  waits for {one.awaits}" if one.awaits else ""
    state = one.suspended.state or "in an unknown state"
    return f"{one.kind} {state}{where}: {chain or one.name or '?'}{waits}"


def _place(frame: PyFrame) -> str:
    if frame.hole is not None:
        return f"[hole: {frame.hole}]"
    return f"{frame.qualname or frame.name} at {frame.filename}:{frame.lineno or '?'}"
