# SPDX-License-Identifier: Apache-2.0
"""Thread states that no list leads to any more, found by searching the remaining memory.

The notes of a core give each LWP's pthread_t (on x86-64 it is fs_base), which its PyThreadState
carries as `thread_id`. Where the runtime, an interpreter or a link of a list was cut off or
overwritten, that word is searched for, and what lies around it is checked.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator

from gdb_epi.cpython.frames.unlinked_frames import locate_executing_flag
from gdb_epi.cpython.layout.layout import Layout
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.errors import UnreadableMemory
from gdb_epi.sizes import PAGE
from gdb_epi.target.api import Target, try_read
from gdb_epi.typing_lite import NamedTuple

MAX_SEARCHED_LWPS = 16  # their interpreters then lead to the others
MAX_SEARCHED_BYTES = 4 << 30  # of all searches of one analysis
MAX_FOUND = 200_000
MAX_REMEMBERED = 4 << 20  # places of one search: 32 MB
CHUNK = 4 << 20  # a multiple of 8, as mappings are aligned: no word lies across two
MAX_INTERPRETER_ID = 1 << 20
MAX_TID = 1 << 22  # PID_MAX_LIMIT of 64-bit Linux
MAX_EXC_ITEMS = 4096  # of generators and coroutines that run each other

_PTR = struct.Struct("<Q")
_ZEROS = bytes(CHUNK)


class RecoveredThreadState(NamedTuple):
    """A PyThreadState found without a list, and the interpreter that it names."""

    address: int
    interpreter: int


class WritableMemory:
    """The writable memory of one process: words are searched for once, within a budget.

    Which layout fits is not known before a thread state is found: all of them ask for one thing.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self.idents = {t.ident: t.tid for t in target.threads() if t.ident}
        # A thread state never lies on a native stack; freed copies of its parts do.
        stacks = {target.region_at(t.sp) for t in target.threads()}
        self._writable = [
            r for r in target.regions() if "w" in r.perms and r.dumped and r not in stacks
        ]
        self._left = MAX_SEARCHED_BYTES
        self._places: dict[tuple[int, ...], array[int]] = {}

    def addresses_of_words(self, words: list[int]) -> Iterator[int]:
        """Yield the 8-aligned addresses that hold one of the words."""
        key = tuple(word for word in words if word)
        remembered = self._places.get(key)
        if remembered is not None:
            yield from remembered
            return
        places = array("Q")
        for address in self._search_words(key) if key else ():
            if len(places) <= MAX_REMEMBERED:
                places.append(address)
            yield address
        if len(places) <= MAX_REMEMBERED:
            self._places[key] = places

    def _search_words(self, words: tuple[int, ...]) -> Iterator[int]:
        # Without its zeros: a search for a word that ends in zeros crawls through zeroed memory.
        needles = [(raw, raw.rstrip(b"\0")) for raw in map(_PTR.pack, words)]
        for start, chunk in self._copies_of_writable_memory():
            for word, needle in needles:
                at = chunk.find(needle)
                while at >= 0:
                    if not (start + at) & 7 and chunk.startswith(word, at):
                        yield start + at
                    at = chunk.find(needle, at + 1)

    def _copies_of_writable_memory(self) -> Iterator[tuple[int, bytes]]:
        """Yield the writable memory; copies, in which a search is ten times as fast as in a map."""
        for region in self._writable:
            for at in range(region.start, region.start + region.dumped, CHUNK):
                size = min(CHUNK, region.start + region.dumped - at)
                self._left -= size
                if self._left < 0:
                    return
                chunk = try_read(self._target, at, size)  # a recording holds single pages
                # mimalloc of a free-threaded build reserves 1 GB, nearly all of it zeros.
                if chunk and (len(chunk) < CHUNK or chunk != _ZEROS):
                    yield at, chunk


class ThreadStateSearcher:
    """Finds the thread states of one layout."""

    def __init__(
        self, target: Target, layout: Layout, memory: WritableMemory | None = None
    ) -> None:
        self._target = target
        self._layout = layout
        self._memory = memory or WritableMemory(target)
        self._idents = self._memory.idents
        self._ident_at = layout.require("PyThreadState", "thread_id")
        self._interp_at = layout.require("PyThreadState", "interp")
        self._links = tuple(
            at
            for at in (layout.offset("PyThreadState", name) for name in ("prev", "next"))
            if at is not None
        )
        self._id_at = layout.require("PyInterpreterState", "id")
        self._tid_at = layout.offset("PyThreadState", "native_thread_id")  # 3.11 (bpo-46038)
        self._exc_info_at = layout.require("PyThreadState", "exc_info")
        self._exc_state_at = layout.require("PyThreadState", "exc_state")
        self._previous_item_at = layout.require("_PyErr_StackItem", "previous_item")

    def thread_states(self, interpreters: list[int]) -> list[RecoveredThreadState]:
        """Return the thread states of LWPs, in the order of their addresses.

        `interpreters` are known already. Empty when nothing is left of them, or when the notes
        with the registers are gone.
        """
        states: dict[int, int] = {}
        searched = list(self._idents)[:MAX_SEARCHED_LWPS]
        for state in self._states_with_word(searched, self._ident_at):
            states[state.address] = state.interpreter
        if len(self._idents) > len(searched):
            named = dict.fromkeys([*interpreters, *states.values()])
            for state in self._states_with_word(list(named), self._interp_at):
                states[state.address] = state.interpreter
        return [RecoveredThreadState(*found_at) for found_at in sorted(states.items())][:MAX_FOUND]

    def _states_with_word(self, words: list[int], offset: int) -> Iterator[RecoveredThreadState]:
        """Yield the thread states that hold one of `words` at an offset."""
        for place in self._memory.addresses_of_words(words):
            state = self.thread_state(place - offset)
            if state is not None:
                yield state

    def thread_state(self, address: int) -> RecoveredThreadState | None:
        """Return the thread state at an address when everything that can be checked fits."""
        if address & 7 or self._u64(address + self._ident_at) not in self._idents:
            return None
        interpreter = self._u64(address + self._interp_at)
        if not interpreter or not self._is_writable_pointer(interpreter):
            return None
        for at in self._links:
            link = self._u64(address + at)
            if link is None or (link and not self._is_writable_pointer(link)):
                return None
        number = self._u64(interpreter + self._id_at)
        if number is not None and number > MAX_INTERPRETER_ID:
            return None
        tid = 1 if self._tid_at is None else self._u64(address + self._tid_at)
        if tid is None or not 0 < tid < MAX_TID or not self._exc_info_ends_in_itself(address):
            return None
        return RecoveredThreadState(address, interpreter)

    def _exc_info_ends_in_itself(self, tstate: int) -> bool:
        """Tell whether the exc_info stack ends in the thread state's own exc_state, or is cut off.

        Every object of a free-threaded build holds a pthread_t (ob_tid), and much other memory
        does: this tells a thread state from them. Source: Include/cpython/pystate.h, 3.7 on.
        A generator's item in a page of zeros cuts it off where something else tells that it is one.
        """
        exc_info = self._u64(tstate + self._exc_info_at)
        for _ in range(MAX_EXC_ITEMS):
            if exc_info == tstate + self._exc_state_at:
                return True
            if not exc_info or not self._is_writable_pointer(exc_info):
                return False
            at = exc_info + self._previous_item_at
            exc_info = self._u64(at)
            if exc_info is None or (
                not exc_info
                and self._is_in_zero_page(at)
                and self._is_proven_by_lwp_or_frame(tstate)
            ):
                return True  # the rest was cut off
        return False

    def _is_proven_by_lwp_or_frame(self, tstate: int) -> bool:
        """Whether it names its LWP by number; before 3.11, is linked to or has a running frame."""
        if self._tid_at is not None:
            lwp = self._idents.get(self._u64(tstate + self._ident_at) or 0)
            return lwp is not None and lwp == self._u64(tstate + self._tid_at)
        there_and_back = (("next", "prev"), ("prev", "next"))
        for there, back in there_and_back:
            other = self._read_member(tstate, there)
            if other and self._read_member(other, back) == tstate:
                return True
        return self._is_running_frame(self._read_member(tstate, "frame"))

    def _read_member(self, tstate: int, member: str) -> int | None:
        at = self._layout.offset("PyThreadState", member)
        return None if at is None else self._u64(tstate + at)

    def _is_running_frame(self, frame: int | None) -> bool:
        """Tell whether an address is that of a frame object that is being run (up to 3.10)."""
        reader = MemoryReader(self._target, self._layout)
        executing = locate_executing_flag(reader)
        if not frame or executing is None or not self._is_writable_pointer(frame):
            return False
        try:
            running = reader.u8(frame + executing[0]) == executing[1]
            return running and reader.type_name(reader.type_of(frame)) == "frame"
        except UnreadableMemory:
            return False

    def _is_in_zero_page(self, address: int) -> bool:
        """Tell whether the page of an address holds nothing but zeros."""
        page = try_read(self._target, address & -PAGE, PAGE)
        return bool(page) and not any(page)

    def _is_writable_pointer(self, word: int) -> bool:
        region = self._target.region_at(word) if word & 7 == 0 else None
        return region is not None and "w" in region.perms

    def _u64(self, address: int) -> int | None:
        word = try_read(self._target, address, 8)
        return int.from_bytes(word, "little") if word else None
