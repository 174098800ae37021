# SPDX-License-Identifier: Apache-2.0
"""Which threads have the other end of a pipe or a socket pair, where that is in this process.

A core has no table of descriptors. os.pipe(), os.socketpair() and multiprocessing.Pipe() take the
two lowest free numbers, mostly neighbours, the reading end first. So the neighbouring descriptor is
taken for the other end of the one that a thread reads where variables of one frame, or attributes
of one object, hold both numbers, or where a suitable Python object has it: a file that is written
and cannot seek, a socket beside a socket, a connection beside a connection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.hangs.descriptors import CONNECTION, FILE, SOCKET, UNIX, DescriptorTable
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.typing_lite import NamedTuple

MAX_FRAMES = 40  # of one thread
MAX_THREADS = 256
MAX_ATTRIBUTES = 64
MAX_NUMBER = 1 << 20
_STREAMS = ("_io.TextIOWrapper", "_io.Buffered")


class OtherEndOfPipe(NamedTuple):
    """The other end of a pipe: its number and the threads whose frames have it at hand."""

    number: int
    threads: frozenset[int]


class _DescriptorsAtHand(NamedTuple):
    """One thing that a thread's frames reach: the numbers of descriptors that it holds."""

    tid: int
    numbers: frozenset[int]


class PipeEnds:
    """Look for the other ends of pipes."""

    def __init__(
        self, view: PythonView, descriptors: DescriptorTable, is_name_used: Callable[[str], bool]
    ) -> None:
        self._view = view
        self._descriptors = descriptors
        self._is_name_used = is_name_used  # by code of the program

    def other_end(self, number: int, *, written: bool = False) -> OtherEndOfPipe | None:
        """Return the end that is written where a thread reads a descriptor; None without any.

        `written`: it writes, and the other end is read.
        """
        for other in self._possible_other_ends(number, written):
            threads = self.threads_with_descriptor(other)
            if threads:
                return OtherEndOfPipe(other, threads)
        return None

    def threads_with_descriptor(self, number: int) -> frozenset[int]:
        """Return the threads whose frames have a descriptor at hand."""
        return frozenset(
            reach.tid for reach in self._descriptors_of_frames if number in reach.numbers
        )

    def _possible_other_ends(self, number: int, written: bool) -> Iterator[int]:
        """Yield the numbers that may be the other end."""
        kind = self._descriptors.object_type(number)
        for other in (number + 1, number - 1):
            if kind not in (SOCKET, CONNECTION):
                may_be_end = self._may_be_pipe(number, other, written)
            else:
                same = self._descriptors.object_type(other) == kind
                may_be_end = same and self._may_be_socket_pair(number, other, kind)
            if may_be_end:
                yield other

    def _may_be_pipe(self, number: int, other: int, written: bool) -> bool:
        """Tell whether two descriptors may be a pipe, whose reading end is the lower one.

        Who writes to a terminal has either end of it.
        """
        in_order = (other < number) == written
        beside = self._descriptors.object_type(other)
        if beside == FILE:
            return in_order and not written and self._descriptors.is_written_pipe(other)
        may_be = in_order or (written and self._is_name_used("openpty"))
        return beside is None and may_be and self._does_one_object_hold_both(number, other)

    def _may_be_socket_pair(self, number: int, other: int, kind: str) -> bool:
        """Tell whether two descriptors may be a pair: sockets of the kind that socketpair() makes.

        Neighbours of other families are any two connections, and so are those of clients of two
        services where no code of the program makes pairs.
        """
        families = [self._descriptors.address_family(n) for n in (number, other)]
        return kind != SOCKET or (families == [UNIX, UNIX] and self._is_name_used("socketpair"))

    def _does_one_object_hold_both(self, number: int, other: int) -> bool:
        return any({number, other} <= reach.numbers for reach in self._descriptors_of_frames)

    @cached_property
    def _descriptors_of_frames(self) -> list[_DescriptorsAtHand]:
        """What the frames of all threads hold: the variables of each, and those objects have."""
        reaches = []
        for tid, frames in islice(self._view.all_frames().items(), MAX_THREADS):
            for frame in frames[:MAX_FRAMES]:
                variables = [at for _, at in self._view.variable_addresses(frame)]
                reaches.append(self._descriptors_of_words(tid, variables))
                if frame.name == "<module>":  # its variables are globals, which all code reaches
                    continue
                for word in variables:
                    if not word & 7 and not self.descriptors_of_object(word):
                        attributes = islice(self._view.attributes(word), MAX_ATTRIBUTES)
                        reaches.append(
                            self._descriptors_of_words(tid, [value for _, value in attributes])
                        )
        return reaches

    def _descriptors_of_words(self, tid: int, words: Sequence[int]) -> _DescriptorsAtHand:
        return _DescriptorsAtHand(
            tid, frozenset(n for word in words for n in self.descriptors_of_object(word))
        )

    def descriptors_of_object(self, word: int) -> tuple[int, ...]:
        """Return the descriptor that an object is or has; none for other objects."""
        if not word or word & 7:
            return ()
        kind = self._view.type_name(word)
        try:
            if kind == "int":
                value = self._view.objects.integer(word)
                if isinstance(value, Absent) or not 2 < value < MAX_NUMBER:
                    return ()
                return (int(value),)
            if kind == FILE or kind.startswith(_STREAMS):
                behind = self._descriptors.descriptor_of_stream(word)
                return (behind,) if behind is not None and behind > 2 else ()
        except (UnreadableMemory, LayoutError):
            return ()
        held = self._descriptors.descriptor_of_object(word)
        return (held,) if held is not None else ()
