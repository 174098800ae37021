# SPDX-License-Identifier: Apache-2.0
"""A GDB that stays for many cores, seen by those who ask it (gdbhost/core_server.py answers).

It is no other source of frames than a GDB for each core: whenever it has no whole answer, or a name
would have to be quoted, the core gets a GDB of its own.
"""

from __future__ import annotations

import json
import mmap
import os
import select
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from gdb_epi.util import shell_word

MAX_DESCRIPTORS = 1 << 16  # that the asking process may have
MOST_HANGS = 2  # cores whose GDB, forked from this one, hung; the fault may be those cores'
LOOK = 1.0  # seconds between two looks at whether others have given it up


class GdbServer:
    """The process, and the socket by which forked workers ask it. Close it in any case.

    `words` start a GDB that has our commands. It starts with the first question: where all frames
    are known it would be a third of a second of work for nothing.
    """

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self._asking, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._hangs = mmap.mmap(-1, 1)  # shared with all forks: how often it hung
        imported = "from gdb_epi.gdbhost.core_server import serve_core_requests"
        serve = f"python {imported}; serve_core_requests({theirs.fileno()})"
        command = [*words, "-iex", "maint set worker-threads 0", "-ex", serve]
        self._pid = os.fork()
        if self._pid == 0:
            # Wait for the first question, then be GDB, which reads it. Runs in a forked process.
            try:
                os.setsid()
                nothing = os.open(os.devnull, os.O_RDWR)
                for standard in range(3):
                    os.dup2(nothing, standard)
                os.closerange(3, theirs.fileno())
                os.closerange(theirs.fileno() + 1, MAX_DESCRIPTORS)
                if theirs.recv(1, socket.MSG_PEEK):  # nothing where nobody is left to ask
                    theirs.set_inheritable(True)
                    os.execve(command[0], command, dict(environment))
            finally:
                os._exit(127)
        theirs.close()

    @property
    def pid(self) -> int:
        """The process."""
        return self._pid

    def is_given_up(self) -> bool:
        """Tell whether it hung, so that it is not asked any more."""
        return self._hangs[0] >= MOST_HANGS

    def note_hang(self, *, of_itself: bool) -> None:
        """Note that there was no answer in time. Of itself: it did not even begin."""
        self._hangs[0] = MOST_HANGS if of_itself else min(self._hangs[0] + 1, MOST_HANGS)

    def ask(
        self, core: str, exe: str | None, sysroot: str | None, folder: str, answer: str
    ) -> PendingAnswer | None:
        """Ask for a core's native frames as file `answer` of `folder`; None if that fails.

        Names that GDB might take for something else than a name are not sent. Nothing is asked of
        one that was given up.
        """
        if self.is_given_up():
            return None
        named = {"core": core, "exe": exe, "sysroot": sysroot, "folder": folder}
        paths = {what: name and os.path.abspath(name) for what, name in named.items()}
        if any(path and shell_word(path) != path for path in paths.values()):
            return None
        ours, theirs = socket.socketpair()
        try:
            request = json.dumps({**paths, "answer": answer}).encode()
            socket.send_fds(self._asking, [request], [theirs.fileno()])
        except OSError:  # it has died
            ours.close()
            return None
        finally:
            theirs.close()
        return PendingAnswer(ours, self)

    def close(self) -> None:
        """End it and what it forked."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
            os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        self._asking.close()


class PendingAnswer:
    """A question that was sent. Closing it before its end gives the core up."""

    def __init__(self, end: socket.socket, server: GdbServer) -> None:
        self._end = end
        self._server = server
        self.taken = False  # the work on the core has begun

    def wait(self, seconds: float) -> bool:
        """Wait until the work on the core has ended, well or not; False after `seconds`.

        False too when the server was given up before it began with this core. `taken` tells then
        whether the core may be to blame.
        """
        poll = select.poll()
        poll.register(self._end, select.POLLIN)
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if poll.poll(min(left, LOOK) * 1000):
                if not self._receive_byte():
                    return True
                self.taken = True
            elif not self.taken and self._server.is_given_up():
                return False
        self._server.note_hang(of_itself=not self.taken)
        return False

    def _receive_byte(self) -> bytes:
        try:
            return self._end.recv(1)
        except OSError:  # it died
            return b""

    def close(self) -> None:
        """Forget the question."""
        self._end.close()
