# SPDX-License-Identifier: Apache-2.0
"""One GDB for many cores: it forks for each core and loads none itself, so no core sees another.

Loading GDB's Python, this package and the symbols of libraries takes most of the time of a core.
The forked GDB finds them in memory and does what a GDB started for this core alone would do.
Symbols stay because a second inferior, which runs nothing, holds the files open: GDB shares between
inferiors what it has read of a file, and reads a changed file again.
The asking side is cli/support/gdb_server.py.
"""

from __future__ import annotations

import fcntl
import gc
import json
import os
import select
import signal
import socket
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import gdb

from gdb_epi.errors import Absent
from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from gdb_epi.target.elf_files import open_elf
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import shell_word

MAX_REQUEST = 1 << 16  # bytes
MAX_KEPT_MEMORY = 512 << 20  # bytes that this process may hold before it keeps no more files
MAX_KEPT_FILES = 1000
TAKEN = b"t"  # to the client: the work on its core has begun
MAX_NAMES = 60_000  # bytes of the names that a child sends: what a pipe takes before it is read
# Imported before the first fork: what `epi native` needs.
NEEDED = ("arguments", "native_unwinder", "open_target", "selection")


class _CoreRequest(NamedTuple):
    """A core that a forked GDB works on."""

    pid: int
    ended: int  # a pidfd
    client: socket.socket
    names: int  # the end of a pipe from which the names of its files come


def serve_core_requests(descriptor: int) -> None:
    """Answer requests from a socket until it is closed.

    A request is the JSON of {"folder", "core", "exe", "sysroot"} with one end of a socket pair:
    that end gets a byte when the work on it has begun, and is closed when the answer lies in
    `folder`, or when there is none. A client that goes away ends the work on its core.
    """
    from importlib import import_module

    for name in NEEDED:
        import_module(f"gdb_epi.gdbhost.{name}")
    import_module("gdb_epi.render.report_json")
    gdb.lookup_type("unsigned long")  # GDB sets up its architecture once
    kept = _FilesWithLoadedSymbols()
    gc.freeze()
    asking = socket.socket(fileno=descriptor)
    working: dict[int, _CoreRequest] = {}  # by pidfd
    while True:
        poll = select.poll()
        poll.register(asking, select.POLLIN)
        for asked in working.values():
            poll.register(asked.ended, select.POLLIN)
            poll.register(asked.client, 0)  # hanging up is always told
        for ready, _ in poll.poll():
            if ready == asking.fileno():
                request, ends, _, _ = socket.recv_fds(asking, MAX_REQUEST, 1)
                if not request:
                    return
                asked = _fork_for_request(
                    json.loads(request), socket.socket(fileno=ends[0]), asking
                )
                working[asked.ended] = asked
            elif ready in working:
                kept.add(_collect_child(working.pop(ready)))
            else:  # a client went away
                for asked in working.values():
                    if asked.client.fileno() == ready:
                        signal.pidfd_send_signal(asked.ended, signal.SIGKILL)


def _fork_for_request(
    request: dict[str, Any], client: socket.socket, asking: socket.socket
) -> _CoreRequest:
    names, end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            asking.close()
            client.close()
            os.close(names)
            _reopen_files()
            os.write(end, b"[")  # this process may go on
            _handle_request(request, end)
        finally:
            os._exit(0)
    os.close(end)
    os.read(names, 1)
    with suppress(OSError):  # who asked may be gone
        client.send(TAKEN)
    return _CoreRequest(pid, os.pidfd_open(pid), client, names)


def _reopen_files() -> None:
    """Give this process its own positions in the files that were open when it was forked.

    A fork shares them: a read of one process moves the position of the others. GDB 18.1 leaves
    files open whose symbols it has read (13.1 closes them).
    """
    for number in map(int, os.listdir("/proc/self/fd")):
        try:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                continue
        except OSError:  # that of the listing
            continue
        flags = fcntl.fcntl(number, fcntl.F_GETFL)
        own = os.open(f"/proc/self/fd/{number}", (flags & os.O_ACCMODE) | os.O_CLOEXEC)
        os.lseek(own, os.lseek(number, 0, os.SEEK_CUR), os.SEEK_SET)
        os.dup2(own, number, inheritable=False)
        os.close(own)


def _handle_request(request: dict[str, Any], end: int) -> None:
    """Do what native_gdb.gdb_command_line() would do; then report the files that were read."""
    os.chdir(request["folder"])
    if request["sysroot"] is not None:
        gdb.execute(f"set sysroot {request['sysroot']}", False, True)
    if request["exe"] is not None:
        gdb.execute(f"file {request['exe']}", False, True)
    gdb.execute(f"core-file {request['core']}", False, True)
    # Under another name first: an answer that exists is complete.
    gdb.execute("epi native --json --output unfinished", False, True)
    os.rename("unfinished", request["answer"])
    names = [objfile.filename for objfile in gdb.objfiles() if objfile.owner is None]
    answer = json.dumps([name for name in names if name])[1:].encode()
    if len(answer) <= MAX_NAMES:
        os.write(end, answer)


def _collect_child(asked: _CoreRequest) -> list[str]:
    """Collect a child and tell its client; return the files that it read."""
    pieces = [b"["]
    while piece := os.read(asked.names, MAX_NAMES):
        pieces.append(piece)
    os.waitpid(asked.pid, 0)
    os.close(asked.names)
    os.close(asked.ended)
    asked.client.close()
    try:
        return list(json.loads(b"".join(pieces)))
    except ValueError:  # it died, or there was no answer
        return []


class _FilesWithLoadedSymbols:
    """Files whose symbols are held by an inferior that runs nothing."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._places = 0
        gdb.execute("add-inferior -no-connection", False, True)

    def add(self, names: Iterable[str]) -> None:
        """Read the symbols of files that are not held yet, as far as there is room."""
        new = [name for name in names if name not in self._names and shell_word(name) == name]
        if not new or len(self._names) >= MAX_KEPT_FILES or _resident_size() > MAX_KEPT_MEMORY:
            return
        self._names.update(new)
        gdb.execute("inferior 2", False, True)
        with suppress(gdb.error):
            for name in new:
                self._places += 1
                place = self._places << 40
                gdb.execute(f"add-symbol-file {name} -o {place:#x}", False, True)
                _read_debug_information(name, place)
        gdb.execute("inferior 1", False, True)


def _read_debug_information(name: str, place: int) -> None:
    """Look up an address in the middle of a file's code.

    GDB unpacks debug information when it is first asked for a line of it: 45 ms of glibc's.
    """
    file = open_elf(name)
    header = None if isinstance(file, Absent) else elf.parse_header(file.read(0, 64))
    if isinstance(file, Absent) or header is None:
        return
    for segment in elf.read_segments(file.data, header):
        if segment.type == elf.PT_LOAD and segment.flags & elf.PF_X:
            gdb.find_pc_line(place + segment.vaddr + segment.filesz // 2)
            return


def _resident_size() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * PAGE
