# SPDX-License-Identifier: Apache-2.0
"""The answer of `gdb_epi/hangs/` as a finding: one detector for each label of the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.detectors.registry import Finding, SupportedLabel, detector
from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.account import own_abort_message
from gdb_epi.fault.signals import SIGXCPU
from gdb_epi.hangs.types import CHILD, function_and_line
from gdb_epi.process_state import ProcessState

MAX_MEMBERS = 32
MAX_FRAMES = 8
UNSURE = "info"  # a kind that speaks for no label


@detector(
    "stuck_deadlock",
    needs="python",
    supports=SupportedLabel("deadlock", "lock-circle", counted_by="kind", doubt_fact="outside"),
)
def stuck_deadlock(state: ProcessState) -> Iterator[Finding]:
    """Find circles of threads, of a pool's workers, of tasks, and threads that wait for themselves.

    Innocent causes, tested: a wait with a timeout, a lock given up in wait(), an idle worker, a
    holder that is merely suspected (then "probable"). What is not ruled out is in the facts.
    Reference: Coffman et al., System Deadlocks (1971): circular wait.
    """
    return _hang_findings(state, "stuck_deadlock", "deadlock")


@detector(
    "stuck_waiting",
    needs="python",
    supports=SupportedLabel("hang", "wait-without-end", counted_by="kind", doubt_fact="outside"),
)
def stuck_waiting(state: ProcessState) -> Iterator[Finding]:
    """Find a wait that nothing in this process will end: its GIL, a lock, an event, a peer.

    Innocent causes, tested: a timeout, a thread that still computes, one that refers to what is
    waited for, a function that waits for work by design. The facts name what is open, and who
    outside of this core may only be slow.
    Reference: the kinds of waits are in gdb_epi/hangs/.
    """
    return _hang_findings(state, "stuck_waiting", "hang")


@detector(
    "going_on",
    needs="python",
    # What did not arrive from outside leaves the same picture: 2 of 5 idle answers of the ninth
    # blind score were hangs, and of the seventh 2 of 4.
    supports=SupportedLabel("no-fault", "works-or-idle", counted_by="kind", max_probability=0.79),
)
def going_on(state: ProcessState) -> Iterator[Finding]:
    """Find that a process that did not fail computes, or waits for work as it should.

    Innocent causes of the opposite, tested: circles of locks, a GIL held asleep, a blocked event
    loop, a thread that waits for a file lock, a database or a peer that does not read.
    Not said about a process that ended itself after the C library had given up, nor where one of
    its threads sent the signal on purpose: it saw something that this core may not show. SIGXCPU is
    sent by batch systems when a job has used up its time (sge_queue_conf(5), s_cpu).
    Reference: the kinds of waits are in gdb_epi/hangs/.
    """
    account = state.fault_account
    if not isinstance(account, Absent):
        if account.fault.signo == SIGXCPU:
            return
        message = own_abort_message(state.target, account)
        if isinstance(message, AbortMessage) and message.kind != "other":
            return
    if state.signal_sender is None:
        yield from _hang_findings(state, "going_on", "no-fault")


def _hang_findings(state: ProcessState, name: str, label: str) -> Iterator[Finding]:
    """Yield the answer where it has this label. An unsure one is shown but speaks for no label."""
    answer = state.hang
    if isinstance(answer, Absent) or answer.label != label:
        return
    members = [
        {
            "tid": activity.tid,
            "name": activity.name,
            "doing": activity.kind,
            "what": activity.what,
            "frames": [function_and_line(frame) for frame in activity.frames[:MAX_FRAMES]],
            **({"task": activity.task[1]} if activity.task[0] else {}),
        }
        for activity in answer.members[:MAX_MEMBERS]
    ]
    children = [d.target for d in answer.members if d.kind == CHILD and d.target]
    facts = {
        "kind": UNSURE if answer.sure == UNSURE else answer.kind.replace(" ", "-"),
        "sort": answer.kind,
        "confidence": answer.sure,
        "members": members,
        "evidence": list(answer.evidence),
        "ruled_out": list(answer.ruled_out),
        "open": list(answer.open),
        "fix": answer.fix,
        "outside": answer.outside,
        **({"by_itself": True} if answer.by_itself else {}),
        **({"ends": answer.ends} if answer.ends else {}),
        **({"look_at": pid} if (pid := answer.look_at or next(iter(children), 0)) else {}),
    }
    first = answer.members[0].tid if answer.members else 0
    yield Finding(name, f"thread {first}", facts, answer.sentence)
