# SPDX-License-Identifier: Apache-2.0
"""Whether a process is a forked child, and which threads it lost: found without any lock."""

from __future__ import annotations

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.locks.fork.atfork_handlers import fork_handlers
from gdb_epi.locks.fork.evidence import conclude_from_signs, read_fork_signs, with_atfork_handlers
from gdb_epi.locks.fork.vanished_threads import vanished_threads
from gdb_epi.locks.types import ForkEvidence, ThreadInForkHandlers, VanishedThreads
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import NamedTuple


class ForkFacts(NamedTuple):
    """What is known about a fork without looking at any lock."""

    evidence: ForkEvidence
    handlers: ThreadInForkHandlers | None
    vanished: VanishedThreads
    soft_errors: tuple[SoftError, ...]


def examine_fork(target: Target, python: PythonState | Absent) -> ForkFacts:
    """Return whether this is a forked child, and which threads it lost."""
    signs = read_fork_signs(target, python)
    evidence = conclude_from_signs(signs)
    handlers = fork_handlers(target, python, evidence)
    evidence = with_atfork_handlers(evidence, handlers)
    vanished = vanished_threads(target, python, evidence, signs.thread_objects)
    return ForkFacts(evidence, handlers, vanished, (*signs.soft_errors(), *vanished.soft_errors))
