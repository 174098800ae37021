# SPDX-License-Identifier: Apache-2.0
"""Generators, coroutines and async generators: where each is suspended, and who waits in whom."""

from __future__ import annotations

from gdb_epi.cpython.frames.coroutines import (
    COROUTINES,
    DONE,
    RUNNING,
    CoroutineReader,
    SuspendedChain,
)
from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import SoftError
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple

MAX_GENERATORS = 100_000
MAX_PROBLEMS = 50


class GeneratorChain(NamedTuple):
    """One generator or coroutine that nobody else delegates to, with those that it delegates to.

    `stack` of `suspended` is innermost first. `tid` is the thread that runs it; None when it is
    suspended or was never started.
    """

    address: int
    kind: str  # "generator", "coroutine", "async_generator"
    name: str  # qualname; "" when it is unreadable
    suspended: SuspendedChain
    tid: int | None
    awaits: str  # the type of what the innermost one waits for; "" for nothing


class GeneratorChains(NamedTuple):
    """All chains that were found, and what could not be had."""

    chains: tuple[GeneratorChain, ...]
    soft_errors: tuple[SoftError, ...]


def read_generator_chains(target: Target, python: PythonState) -> GeneratorChains:
    """Return the generators and coroutines that have not ended. Never raises for damage."""
    instances = shared_instances(target, python)
    coroutines = CoroutineReader(instances.reader, instances.objects, instances.types)
    running = {f.address: t.tid for t in python.threads() for f in t.frames if f.hole is None}
    inner: set[int] = set()  # the frames that another one delegates to
    chains: list[GeneratorChain] = []
    problems: list[SoftError] = []
    kinds = [
        (generator.address, generator.kind) for generator in instances.instances_of(COROUTINES)
    ]
    for address, frame in coroutines.lost_coroutines().items():
        kinds.append((address, coroutines.kind_made_by_code(coroutines.frame_at(frame).code)))
    for address, kind in kinds[:MAX_GENERATORS]:
        suspended = coroutines.suspended_chain(address)
        if suspended.state == DONE:
            continue
        if suspended.broken and len(problems) < MAX_PROBLEMS:
            problems.append(SoftError("generators", f"{address:#x}", suspended.broken))
        inner.update(frame.address for frame in suspended.frames[:-1])
        name = coroutines.qualname(address)
        waits = instances.wanted_class_of(
            suspended.awaits, frozenset({instances.ident(suspended.awaits)})
        )
        outermost = suspended.frames[-1].address if suspended.frames else 0
        chains.append(
            GeneratorChain(
                address=address,
                kind=kind,
                name=name if isinstance(name, str) else "",
                suspended=suspended,
                tid=running.get(outermost) if suspended.state == RUNNING else None,
                awaits=waits[1] if waits and suspended.awaits else "",
            )
        )
    for address in list(coroutines.lost_coroutines())[:MAX_PROBLEMS]:
        why = "its memory is lost; its frame object, which names it, is kept"
        problems.append(SoftError("generators", f"{address:#x}", why))
    roots = tuple(
        chain
        for chain in chains
        if not (frames := chain.suspended.frames) or frames[-1].address not in inner
    )
    return GeneratorChains(roots, (*instances.problems, *problems))
