# SPDX-License-Identifier: Apache-2.0
"""The process: its ids, names, executable and CPU time, and a name for its exec."""

from __future__ import annotations

from gdb_epi.cpython.runtime.program import find_program
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState
from gdb_epi.record.redact import MAX_PATH, base_name, redact_path
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.target.api import LIVE
from gdb_epi.target.auxv import AT_BASE, AT_ENTRY, read_at_random_bytes
from gdb_epi.util import pick_attributes, sha256_hex

_SALT = b"gdb-epi exec/1"


@group("process", order=40)
def process(parts: RecordParts, _notes: RecordNotes) -> Json:
    """Return ids, names and the executable; the command line only as the script's base name."""
    state = parts.state
    identity, modules = state.process, state.target.modules()
    fields: Json = {"tid": state.crashed_tid()}
    if not isinstance(identity, Absent):
        fields |= pick_attributes(identity, "pid", "ppid", "uid", "comm")
        program = find_program(state.target, state.python, identity.psargs)
        fields["script"] = program.name[:MAX_PATH] if program else _main_script(state)
        if program is not None:
            fields["started_as"] = program.how
    if state.target.kind == LIVE:
        fields["live"] = True
        if _is_before_program_entry(state):
            fields["stage"] = "starting"
    if modules:
        fields["executable"] = redact_path(modules[0].path)
        fields["build_id"] = modules[0].build_id
    random = read_at_random_bytes(state.target)
    if random is not None:  # the 16 bytes at AT_RANDOM, which forked siblings share
        fields["exec_id"] = sha256_hex(_SALT + random)[:16]
    pid = None if isinstance(identity, Absent) else identity.pid
    leader = next((t for t in state.target.threads() if t.tid == pid), None)
    if leader is not None and leader.cpu_seconds is not None:
        fields["cpu_seconds"] = dict(zip(("user", "system"), leader.cpu_seconds, strict=True))
    return fields


def _is_before_program_entry(state: ProcessState) -> bool:
    """Whether the loader has mapped no library yet, or not reached the program's entry."""
    target = state.target
    threads, modules, auxv = target.threads(), target.modules(), target.auxv()
    if len(threads) != 1 or not modules or AT_ENTRY not in auxv:
        return False
    pc = threads[0].pc
    if not auxv.get(AT_BASE):
        return pc == auxv[AT_ENTRY]
    files = {region.path for region in target.regions() if (region.path or "").startswith("/")}
    return len(files) <= len(("the program", "its loader"))


def _main_script(state: ProcessState) -> str | None:
    """Return the file of the outermost frame of __main__, for a command line that was cut."""
    for thread in state.python_threads():
        outermost = thread.frames[-1] if thread.frames else None
        if outermost and outermost.module == "__main__" and outermost.name == "<module>":
            name = base_name(outermost.filename)
            return None if name.startswith("<") else name  # <string> is no script
    return None
