# SPDX-License-Identifier: Apache-2.0
"""What a file descriptor is: the core has no table of them, Python's own objects say it.

Sockets and files keep their number in the first word after the object's head
(Modules/socketmodule.h PySocketSockObject, Modules/_io/fileio.c fileio; 3.8 to 3.15). The objects
are looked for in the frames of the thread that waits, then among those the collector knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from gdb_epi.cpython.heap.instances import shared_instances
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.errors import Absent, EpiError, LayoutError, UnreadableMemory
from gdb_epi.fault.memory_reads import read_u32
from gdb_epi.hangs.processes.shell_lines import MAX_LINE, OPERATORS
from gdb_epi.locks.python.python_view import PythonView
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import default_when_unreadable

SOCKET, FILE, POPEN = "_socket.socket", "_io.FileIO", "subprocess.Popen"
_PROCESSES = tuple(
    f"multiprocessing.popen_{way}.Popen" for way in ("fork", "spawn_posix", "forkserver")
)
CONNECTION = "multiprocessing.connection.Connection"
_WITH_DESCRIPTORS = frozenset((SOCKET, FILE, POPEN, CONNECTION, *_PROCESSES))
_TEXT, _BUFFERED = "_io.TextIOWrapper", "_io.Buffered"
_STREAM_TYPES = (_TEXT, "_io.BufferedReader", "_io.BufferedWriter", "_io.BufferedRandom")
UNIX = 1
_FAMILIES = {UNIX: "Unix", 2: "IPv4", 10: "IPv6", 16: "netlink", 17: "packet"}
_DATAGRAMS = (2, 3)  # SOCK_DGRAM, SOCK_RAW; Python stores the type without its flags (3.7+)
_STREAMS = {0: "standard input", 1: "standard output", 2: "standard error"}
MAX_OBJECTS = 2_000
MAX_HOST = 256  # characters
# Bits of the word after the number: created, readable, writable, appending, then seekable in two,
# -1 until somebody asked, as the buffer that reads from it does; closefd (Modules/_io/fileio.c,
# fileio; 3.8 to 3.15).
WRITABLE, SEEKABLE = 4, 4  # a bit; the place of two
CLOSED = 0xFFFF_FFFF  # the number of a closed socket
_PLAIN = frozenset(("str", "int", "float", "bytes", "bool", "NoneType", "module", "type", "dict",
                    "tuple", "list", "function", "code"))  # fmt: skip


Address = tuple[str, int]  # host and port of an internet socket


def read_socket_address(view: PythonView, word: int | None) -> Address | None:
    """Return the address that a tuple of Python's is: a host and a port; None for anything else."""
    if word is None or view.type_name(word) != "tuple":
        return None
    try:
        host, port = ContainerReader(view.reader).tuple_items(word)[:2]
        text, number = view.reader.string(host, MAX_HOST), view.objects.integer(port)
    except (UnreadableMemory, LayoutError, ValueError):
        return None
    return None if isinstance(text, Absent) or isinstance(number, Absent) else (text, int(number))


class Descriptor(NamedTuple):
    """One descriptor. `text` is how a sentence says it.

    `kind` is "socket", "disk" (a file that can seek, which no pipe, socket or terminal can),
    "file", "pipe" or "".

    `child` is the process at the other end where a Popen has it.
    """

    number: int
    kind: str
    text: str
    object: int = 0
    child: int | None = None


class ChildProcess(NamedTuple):
    """A subprocess.Popen: its pid, command, and which of its streams are pipes of this process.

    `closed` are streams that this process had and has closed.
    """

    address: int
    pid: int
    command: str
    streams: dict[str, int]  # "stdin", "stdout", "stderr": descriptor, -1 where it is not known
    closed: tuple[str, ...] = ()


@default_when_unreadable(None)
def descriptors_of_selector(view: PythonView, frames: Sequence[PyFrame]) -> tuple[int, ...] | None:
    """Return what a selector of the program watches in select(); None for any other call.

    The list of an epoll is in the kernel, and in `_fd_to_key` (Lib/selectors.py, 3.8 to 3.15). An
    event loop of asyncio is woken by more than its descriptors.
    """
    select = next((f for f in frames[:1] if (f.module, f.name) == ("selectors", "select")), None)
    keys = view.attribute(view.variable(select, "self"), "_fd_to_key")
    if keys is None or any((f.module or "").startswith("asyncio") for f in frames):
        return None
    numbers = [view.objects.integer(key) for key, _ in view.objects.dict_items(keys)]
    return tuple(int(n) for n in numbers if not isinstance(n, Absent))


class DescriptorTable:
    """The descriptors of one process."""

    def __init__(self, view: PythonView) -> None:
        self._view = view
        self._reader = view.reader
        self._sockets: dict[int, Descriptor] = {}  # that frames hold, by their numbers

    def describe(self, number: int, frames: Sequence[PyFrame] = ()) -> Descriptor:
        """Return what a descriptor is; the number alone where no object has it.

        `frames` are the innermost of a thread that waits for it. A socket of theirs is no pipe to a
        child, so the objects of a server, which are many, need not be listed.
        """
        for address in self._objects_at_hand(frames):
            if (
                self._descriptor_number(address) == number
                and self._descriptor_class(address) == SOCKET
            ):
                self._sockets.setdefault(number, self._describe_object(number, SOCKET, address))
        if number in self._sockets:
            return self._sockets[number]
        for child in self.children:
            for stream, fd in child.streams.items():
                if fd == number:
                    text = f"the {stream} pipe of child {child.pid} ({child.command})"
                    return Descriptor(number, "pipe", text, child.address, child.pid)
        for kind, address in self._objects_with_descriptors:
            if kind in (SOCKET, FILE) and self._descriptor_number(address) == number:
                return self._describe_object(number, kind, address)
            if kind == CONNECTION and self._view.integer_attribute(address, "_handle") == number:
                text = f"descriptor {number}, a pipe to another process"
                return Descriptor(number, "pipe", text, address)
        if number in _STREAMS:
            return Descriptor(number, "file", _STREAMS[number])
        return Descriptor(number, "", f"descriptor {number}")

    def object_type(self, number: int) -> str | None:
        """Return the type of the object that has a descriptor; None where no object has it."""
        if number in self._sockets:
            return SOCKET
        return next((kind for kind, address in self._objects_with_descriptors
                     if self.descriptor_of_object(address, kind) == number), None)  # fmt: skip

    def address_family(self, number: int) -> int | None:
        """Return the address family of the socket that has a descriptor."""
        return next(map(self._word_after_descriptor_number, self._sockets_of(number)), None)

    def is_socket_without_peer(self, number: int | None) -> bool:
        """Tell whether a descriptor is a socket without a peer: datagrams, or the kernel's news."""
        at = next(self._sockets_of(number), None)
        kind = None if at is None else read_u32(self._view.target, at + self._object_head_size + 8)
        return kind in _DATAGRAMS

    def _sockets_of(self, number: int | None) -> Iterator[int]:
        """Yield the sockets that have a descriptor."""
        if number in self._sockets:
            yield self._sockets[number].object
        else:
            for kind, address in self._objects_with_descriptors:
                if kind == SOCKET and self._descriptor_number(address) == number:
                    yield address

    def descriptor_of_object(self, address: int, kind: str | None = None) -> int | None:
        """Return the descriptor of a socket, a file or a connection; None for other objects."""
        kind = self._descriptor_class(address) if kind is None else kind
        if kind in (SOCKET, FILE):
            return self._descriptor_number(address)
        return self._view.integer_attribute(address, "_handle") if kind == CONNECTION else None

    def is_written_pipe(self, number: int) -> bool:
        """Tell whether a file object writes a descriptor that is not known to seek."""
        for kind, address in self._objects_with_descriptors:
            if kind == FILE and self._descriptor_number(address) == number:
                flags = self._word_after_descriptor_number(address)
                return flags is not None and bool(flags & WRITABLE) and flags >> SEEKABLE & 3 != 1
        return False

    def may_be_on_disk(self, stream: int) -> bool:
        """Tell whether a stream of `io` reads what may be a file on disk: no pipe, no socket."""
        number = self.descriptor_of_stream(stream)
        return any(
            kind == FILE and self._descriptor_number(address) == number
            and (self._word_after_descriptor_number(address) or 0) >> SEEKABLE & 3
            for kind, address in self._objects_with_descriptors
        )  # fmt: skip

    def is_closed_socket(self, address: int) -> bool:
        """Tell whether an object is a socket that was closed."""
        return (
            self._raw_descriptor_number(address) == CLOSED
            and self._descriptor_class(address) == SOCKET
        )

    def is_call_on_closed_socket(self, number: int, frames: Sequence[PyFrame]) -> bool:
        """Tell whether a call of frames goes on a descriptor whose socket object was closed."""
        return any(
            self.is_closed_socket(address) for address in self._objects_at_hand(frames)
        ) and all(
            kind != SOCKET or self._raw_descriptor_number(address) != number
            for kind, address in self._objects_with_descriptors
        )

    def _objects_at_hand(self, frames: Sequence[PyFrame]) -> set[int]:
        """Return what variables of frames name, and what attributes of that do."""
        reached: set[int] = set()
        for frame in frames:
            for _, at in self._view.variable_addresses(frame):
                reached.add(at)
                if self._view.type_name(at) not in _PLAIN:
                    reached.update(value for _, value in self._view.attributes(at))
        return reached

    def _descriptor_class(self, address: int) -> str | None:
        """Return which of the classes that have descriptors an object is of; None of others."""
        instances = shared_instances(self._view.target, self._view.python)
        kind = instances.wanted_class_of(address, _WITH_DESCRIPTORS)
        return None if kind is None else kind[0]

    def descriptor_left_open_by_close(self, but: int) -> int | None:
        """Return the descriptor of a socket that close() left open, for a file of makefile().

        Such a socket object is marked as closed and counts its files (Lib/socket.py, `_closed` and
        `_io_refs`, 3.8 to 3.15). `but` is left out.
        """
        context = get_process_values(self._view.target, self._view.python).context
        for kind, address in self._objects_with_descriptors:
            number = self._descriptor_number(address) if kind == SOCKET else None
            if number is None or number == but:
                continue
            with suppress(EpiError):
                marks = [context.attribute(address, name) for name in ("_closed", "_io_refs")]
                if all(self._view.objects.integer(mark) for mark in marks):
                    return number
        return None

    def child_of_pid(self, pid: int) -> ChildProcess | None:
        """Return the Popen of a child process."""
        return next((child for child in self.children if child.pid == pid), None)

    def child_behind_descriptor(self, number: int | None) -> ChildProcess | None:
        """Return the child at the other end of a descriptor, whose Popen has it."""
        pid = self.describe(number).child if number is not None else None
        return self.child_of_pid(pid) if pid is not None else None

    @cached_property
    def failed_children(self) -> list[tuple[int, int]]:
        """(pid, exit code) of children that this process has seen end otherwise than well.

        A code below 0 is that of a signal, as subprocess and multiprocessing have it.
        """
        ended = []
        for kind, address in self._objects_with_descriptors:
            if kind == POPEN or kind in _PROCESSES:
                pid, code = (
                    self._view.integer_attribute(address, n) for n in ("pid", "returncode")
                )
                ended += [(pid, code)] if pid and code else []
        return ended

    @property
    def will_children_connect(self) -> bool:
        """Whether children connect to this process soon or never.

        Those of multiprocessing run its code; a command that failed does nothing any more. Another
        one, such as a browser, may wait for a person.
        """
        return any(
            kind in _PROCESSES
            or (kind == POPEN and self._view.integer_attribute(address, "returncode"))
            for kind, address in self._objects_with_descriptors
        )

    @cached_property
    def multiprocessing_children(self) -> list[tuple[int, bool]]:
        """(pid, whether it was forked) of children of multiprocessing that were not seen to end."""
        made = []
        for kind, address in self._objects_with_descriptors:
            code = self._view.attribute(address, "returncode") if kind in _PROCESSES else None
            if code and self._view.type_name(code) == "NoneType":
                pid = self._view.integer_attribute(address, "pid")
                made += [(pid, kind == _PROCESSES[0])] if pid else []
        return made

    @cached_property
    def children(self) -> list[ChildProcess]:
        """Every Popen object that has not seen its child end."""
        alive = []
        for kind, address in self._objects_with_descriptors:
            pid = self._view.integer_attribute(address, "pid") if kind == POPEN else None
            ended = self._view.integer_attribute(address, "returncode") if pid else None
            if pid and ended is None:
                alive.append(self._read_child_of_popen(address, pid))
        return alive

    def _read_child_of_popen(self, address: int, pid: int) -> ChildProcess:
        streams, closed = dict[str, int](), list[str]()
        for name in ("stdin", "stdout", "stderr"):
            value = self._view.attribute(address, name)
            if value is not None and self._view.type_name(value) != "NoneType":
                fd = self.descriptor_of_stream(value)
                if fd is not None:
                    streams[name] = fd
                else:
                    closed.append(name)
        return ChildProcess(address, pid, self._command_name(address), streams, tuple(closed))

    def _command_name(self, address: int) -> str:
        """Return the base name of the program: arguments may hold secrets."""
        whole = arguments = self._view.attribute(address, "args") or 0
        if not whole:
            return "?"
        if self._view.type_name(arguments) == "list":
            first_item = self._reader.field(arguments, "PyListObject", "ob_item")
            arguments = self._reader.u64(first_item) if first_item else 0
        elif self._view.type_name(arguments) == "tuple":
            arguments = self._reader.field(arguments, "PyTupleObject", "ob_item")
        text = self._reader.string(arguments, MAX_LINE) if arguments else ""
        if isinstance(text, Absent) or not text.split():
            return "?"
        is_line = self._view.type_name(whole) == "str" and not OPERATORS.isdisjoint(text)
        return "sh" if is_line else text.split()[0].rpartition("/")[2]

    def shell_line(self, child: ChildProcess) -> str:
        """Return the line that a Popen gave to a shell; "" where it was given a list."""
        arguments = self._view.attribute(child.address, "args") or 0
        if not arguments or self._view.type_name(arguments) != "str":
            return ""
        text = self._reader.string(arguments, MAX_LINE)
        return "" if isinstance(text, Absent) else text

    def descriptor_of_stream(self, stream: int) -> int | None:
        """Return the descriptor of a text or buffered stream; None of a closed one, -1 unknown."""
        file = self._file_of_stream(stream)
        kind = self._view.type_name(file)
        if kind == "SocketIO":
            return self.descriptor_of_object(self._view.attribute(file, "_sock") or 0)
        return self._descriptor_number(file) if kind == FILE else -1

    def name_of_stream(self, stream: int) -> str:
        """Return the name by which the file of a text or buffered stream was opened; or ""."""
        return self._view.text_attribute(self._file_of_stream(stream), "name") or ""

    def _file_of_stream(self, stream: int) -> int:
        """Return the file below a text or buffered stream, or what is read or written instead."""
        for struct, member, kind in (("textio", "buffer", _TEXT), ("buffered", "raw", _BUFFERED)):
            at = self._reader.layout.offset(struct, member)
            if at is not None and self._view.type_name(stream).startswith(kind):
                stream = self._reader.u64(stream + at)
        return stream

    def buffered_sizes(self, number: int) -> tuple[int, int]:
        """Return how much the streams of a descriptor have read ahead, and have yet to write.

        In bytes, and in characters of a text that was decoded (Modules/_io/bufferedio.c, textio.c;
        3.8 to 3.15).
        """
        ahead = unsent = 0
        try:
            instances = shared_instances(self._view.target, self._view.python)
            for stream in instances.instances_of(_STREAM_TYPES)[:MAX_OBJECTS]:
                if self.descriptor_of_stream(stream.address) != number:
                    continue
                if stream.kind == _TEXT:
                    unsent += self._read_signed_member(
                        stream.address, "textio", "pending_bytes_count"
                    )
                    text = self._read_signed_member(stream.address, "textio", "decoded_chars")
                    if text:
                        used = self._read_signed_member(
                            stream.address, "textio", "decoded_chars_used"
                        )
                        ahead += self._reader.signed_field(text, "PyASCIIObject", "length") - used
                else:
                    names = ("pos", "read_end", "write_pos", "write_end")
                    pos, read, start, end = (
                        self._read_signed_member(stream.address, "buffered", name) for name in names
                    )
                    ahead += max(0, read - pos)
                    unsent += max(0, end - start)
        except (UnreadableMemory, LayoutError):
            return 0, 0
        return ahead, unsent

    def _read_signed_member(self, address: int, struct: str, member: str) -> int:
        return self._reader.signed_field(address, struct, member)

    def _describe_object(self, number: int, kind: str, address: int) -> Descriptor:
        if kind == FILE:
            name = _STREAMS.get(number, f"file descriptor {number}")
            flags = self._word_after_descriptor_number(address)
            seekable = None if flags is None else flags >> SEEKABLE & 3
            if number not in _STREAMS and seekable == 0:
                name += ", a pipe or another file that cannot seek"
            return Descriptor(number, "disk" if seekable == 1 else "file", name, address)
        family = self._word_after_descriptor_number(address)
        shown = _FAMILIES.get(family or 0, "")
        article = "an" if shown.startswith("I") else "a"
        text = f"{article} {shown} socket" if shown else "a socket"
        return Descriptor(number, "socket", text, address)

    def _raw_descriptor_number(self, address: int) -> int | None:
        return read_u32(self._view.target, address + self._object_head_size)

    def _descriptor_number(self, address: int) -> int | None:
        number = self._raw_descriptor_number(address)
        return number if number is not None and number < 1 << 31 else None

    def _word_after_descriptor_number(self, address: int) -> int | None:
        """Return the word after the number: flags of a file, the family of a socket."""
        return read_u32(self._view.target, address + self._object_head_size + 4)

    @cached_property
    def _object_head_size(self) -> int:
        """Bytes of a PyObject before its own fields."""
        return self._reader.layout.size("PyObject") or 16

    @cached_property
    def _objects_with_descriptors(self) -> list[tuple[str, int]]:
        """(kind, PyObject *) of everything that may have a descriptor."""
        try:
            instances = shared_instances(self._view.target, self._view.python)
            holders = instances.instances_of(_WITH_DESCRIPTORS)[:MAX_OBJECTS]
            return [(instance.kind, instance.address) for instance in holders]
        except (UnreadableMemory, LayoutError):
            return []
