# SPDX-License-Identifier: Apache-2.0
"""`epi generators`: where generators and coroutines are suspended, and who delegates to whom."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter

from gdb_epi.cpython.running.generators import GeneratorChain, read_generator_chains
from gdb_epi.cpython.running.wait_rules import PLAIN_CLASSES
from gdb_epi.record.stacks import frame_json
from gdb_epi.registry import command, limit_argument
from gdb_epi.render.merged_stacks import nothing_found_line, place_text
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.util import counted

NONE = "no generators or coroutines were found that have not ended"


@command("generators", arguments=(limit_argument(200, "places to show"),), shows_values=True)
def show_generators(session: Session, args: Namespace) -> Report:
    """Show generators and coroutines that have not ended.

    Those that others delegate to by `yield from` or `await` stand behind these, after a `>`. A
    running one is in a thread's stack. Those that wait at the same place are counted. `epi tasks`
    shows those that belong to asyncio tasks with more detail.
    """
    state = session.state
    generators = read_generator_chains(state.target, state.required_python())
    errors = [*generators.soft_errors, *state.python_soft_errors()]
    alike = Counter(
        map(_generator_line, generators.chains)
    )  # thousands may be suspended at one place
    lines = [f"{n} x {line}" if n > 1 else line for line, n in alike.items()]
    shown = lines[: args.limit]
    if len(lines) > len(shown):
        shown.append(f"... {len(lines) - len(shown)} more (--limit N)")
    return Report(
        f"{counted(len(generators.chains), 'chain')} of generators",
        lines=shown or [nothing_found_line(state, NONE, generators.soft_errors)],
        data={
            "generators": [
                {
                    "address": f"0x{chain.address:016x}",
                    "kind": chain.kind,
                    "name": chain.name or None,
                    "state": chain.suspended.state or None,
                    "tid": chain.tid,
                    "awaits": chain.awaits or None,
                    "stack": [frame_json(frame) for frame in chain.suspended.frames],
                }
                for chain in generators.chains
            ]
        },
        soft_errors=errors,
    )


def _generator_line(generator: GeneratorChain) -> str:
    # A line has no room for every path; --json has them.
    places = [
        place_text(frame._replace(filename=frame.filename.rpartition("/")[2]) if number else frame)
        for number, frame in enumerate(reversed(generator.suspended.frames))
    ]
    chain = " > ".join(places)
    where = f" in thread {generator.tid}" if generator.tid is not None else ""
    awaits = PLAIN_CLASSES.get(generator.awaits, generator.awaits)
    waits = f"  waits for {awaits}" if awaits else ""
    state = generator.suspended.state or "in an unknown state"
    return f"{generator.kind} {state}{where}: {chain or generator.name or '?'}{waits}"
