# SPDX-License-Identifier: Apache-2.0
"""What a suspended task or greenlet waits for, out of its innermost frames.

The frames of a library that stand between the program's own and the suspension are read from the
inside out: the outermost of them that `wait_rules.py` knows says what the program asked for
(`Queue.join()`, not the event that it is made of), and a variable of that frame is the object.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from struct import unpack

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.running import wait_rules
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import Absent, EpiError, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple
from gdb_epi.util import duration_words

if TYPE_CHECKING:
    from gdb_epi.cpython.values.context import ValueContext

MAX_FRAMES = 60  # of libraries, above the program's own
MAX_NAMES = 200  # variables that are examined for a name
MAX_MEMBERS = 10_000
MAX_SOCKET_DEPTH = 5
# Where libraries keep the object that has the descriptor, from the outside in.
_TO_A_SOCKET = (
    "_sock", "sock", "_trio_socket", "fd", "socket", "_transport", "_raw_socket",
    "transport_stream", "_stream", "_fd_holder",
)  # fmt: skip
_FD_MEMBERS = ("fd", "_sock_fd", "_fileno", "fileno")


# What everybody has one of, made on the way: the address says nothing.
NAMED_BY_CLASS = (wait_rules.FUTURE, wait_rules.TASKS)


class TaskWait(NamedTuple):
    """What something waits for.

    `kind` is one of those in wait_rules.py. `address` is the object (PyObject *), 0 when there is
    none or it is unknown; `name` is what the program's frame calls it. `place` is the
    library's function that waits. `seconds` is the time that was asked for, `fd` the descriptor.
    """

    kind: str
    address: int = 0
    type: str = ""  # class of the object
    name: str = ""
    place: str = ""
    seconds: float | None = None
    fd: int | None = None
    remaining: float | None = None  # seconds until it is due, where a clock of the process tells

    def text(self, *, several: bool = False, addresses: bool = True) -> str:
        """Return it in words, e.g. `a lock: self.lock (asyncio.locks.Lock at 0x7f...)`.

        `several` leaves out what differs between tasks that wait alike, each on one of its own;
        without `addresses` it is part of a sentence.
        """
        words = wait_rules.WORDS.get(
            self.kind, f"something, in {self.place}" if self.place else "something"
        )
        if self.kind == wait_rules.SLEEP and self.seconds is not None:
            words = f"{duration_words(self.seconds)} to pass"
        elif self.kind == wait_rules.SLEEP and self.place.endswith("sleep_forever"):
            words = "nothing (it sleeps until it is cancelled)"
        if self.remaining is not None and not several:
            words += f" ({self.remaining:.1f} s were left)"
        if self.fd is not None and not several:
            words += f" on descriptor {self.fd}"
        where = self.type if self.address and self.type not in wait_rules.PLAIN_CLASSES else ""
        each_its_own = several and self.kind not in (wait_rules.LOCK, wait_rules.SEMAPHORE)
        if where and addresses and not each_its_own and self.kind not in NAMED_BY_CLASS:
            where += f" at {self.address:#x}"
        if not addresses:
            about = ", ".join(filter(None, (self.name, where)))
            return f"{words} ({about})" if about else words
        if self.name:
            return f"{words}: {self.name}" + (f" ({where})" if where else "")
        return f"{words}: {where}" if where else words


class WaitReader:
    """The waits of one process."""

    def __init__(self, target: Target, python: PythonState) -> None:
        values = get_process_values(target, python)
        self.context: ValueContext = values.context
        self._variables = FrameVariables(values)

    def wait_of_stack(self, stack: Sequence[PyFrame]) -> TaskWait | None:
        """Return what a suspended stack (innermost first) waits for.

        None when no library's frame is innermost: the program's own code gave way itself.
        """
        row: tuple[PyFrame, str, str] | None = None
        limiter: tuple[PyFrame, str, str] | None = None
        inner = ""
        fd: int | None = None
        outside: PyFrame | None = None
        for frame in stack[:MAX_FRAMES]:
            if not is_library_frame(frame):
                outside = frame
                break
            inner = f"{frame.module}.{frame.qualname or frame.name}"
            kind, variable = wait_rules.ROWS.get(frame.module or "", {}).get(frame.name, (None, ""))
            if kind is None:
                continue
            if kind in (wait_rules.READ, wait_rules.WRITE) and fd is None:
                fd = self._file_descriptor(self._variable(frame, variable))
            if row is not None and f"{frame.module}.{frame.name}" in wait_rules.AROUND:
                continue
            if frame.name == wait_rules.OF_A_LIMITER:
                limiter = (frame, wait_rules.FREE_THREAD, variable)
            if kind == wait_rules.THREAD and limiter is not None:  # no thread runs it yet
                row = limiter
                continue
            if row is not None and not kind and row[1] in (wait_rules.READ, wait_rules.WRITE):
                kind = row[1]
            row = (frame, kind, variable)
        if row is None:
            return TaskWait(wait_rules.OTHER, place=inner) if inner else None
        frame, kind, variable = row
        address = self._variable(frame, variable)
        place = f"{frame.module}.{frame.qualname or frame.name}"
        if kind == wait_rules.SLEEP:
            seconds = (
                None if variable == "deadline" else self.numeric_value(address)
            )  # that is absolute
            return TaskWait(kind, place=place, seconds=seconds)
        kind = kind or self.wait_kind_by_class(address)
        if (
            address
            and kind in (wait_rules.READ, wait_rules.WRITE)
            and self.numeric_value(address) is not None
        ):
            address = 0  # the descriptor itself
        name = self.name_in_frame(address, outside)
        return TaskWait(kind, address, self.class_name_of(address), name, place, fd=fd)

    def wait_kind_by_class(self, address: int) -> str:
        """Return the kind of wait that an object's class stands for; OTHER when unknown."""
        for name in self.class_names(address):
            if kind := wait_rules.CLASSES.get(name.rpartition(".")[2]):
                return kind
        return wait_rules.OTHER

    def class_names(self, address: int) -> list[str]:
        """Return the class of an object and its bases as module.qualname; empty for no object."""
        try:
            return [info.qualified_name for info in self.context.obj(address).lineage.types]
        except EpiError:
            return []

    def class_name_of(self, address: int) -> str:
        """Return the class of an object; "" when it is no object."""
        classes = self.class_names(address)
        return classes[0] if classes else ""

    def attribute(self, address: int, *names: str) -> int:
        """Return the first attribute (PyObject *) that an object has; 0 when none, or None."""
        for name in names:
            try:
                value = self.context.attribute(address, name)
            except EpiError:
                continue
            return 0 if self.class_name_of(value) == "NoneType" else value
        return 0

    def text(self, address: int) -> str:
        """Return the text of a str object; "" for anything else."""
        text = self.context.reader.string(address, 4096)
        return "" if isinstance(text, Absent) else text

    def is_true_object(self, address: int) -> bool:
        """Return whether an object is True; False for everything else."""
        return bool(self.numeric_value(address)) if self.class_name_of(address) == "bool" else False

    def numeric_value(self, address: int) -> float | None:
        """Return the value of an int or a float; None for anything else."""
        classes = self.class_names(address)
        with suppress(EpiError):
            if "float" in classes:
                at = address + self.context.offset("PyFloatObject", "ob_fval")
                value = float(unpack("<d", self.context.reader.read(at, 8))[0])
                return value if value - value == 0 else None
            if "int" in classes:
                number = self.context.objects.integer(address)
                return None if isinstance(number, Absent) else float(number)
        return None

    def variables(self, frame: PyFrame) -> dict[str, int]:
        """Return the variables of a frame (PyObject * by name); empty when unreadable."""
        variables: dict[str, int] = {}
        with suppress(EpiError):
            for name, address in self._variables.variable_addresses(frame):
                if len(variables) < MAX_NAMES:
                    variables.setdefault(name, address)
        return variables

    def _variable(self, frame: PyFrame, name: str) -> int:
        return self.variables(frame).get(name, 0) if name else 0

    def name_in_frame(self, address: int, frame: PyFrame | None) -> str:
        """Return what a frame of the program calls an object: a variable, attribute or global."""
        if frame is None or frame.hole is not None or not address:
            return ""
        return next(
            (name for name, value in self._names_known_to_frame(frame) if value == address), ""
        )

    def _names_known_to_frame(self, frame: PyFrame) -> Iterator[tuple[str, int]]:
        """Yield what a frame can name: its variables, attributes of self and cls, its globals."""
        variables = self.variables(frame)
        yield from variables.items()
        for name in ("self", "cls"):
            with suppress(EpiError):
                for attribute, value in islice(
                    self.context.attributes(variables.get(name, 0)), MAX_NAMES
                ):
                    yield f"{name}.{attribute}", value
        with suppress(EpiError):
            yield from self._variables.global_addresses(frame)

    def _file_descriptor(self, address: int) -> int | None:
        """Return the descriptor of a socket, stream or of an int; None when it is unknown."""
        for _ in range(MAX_SOCKET_DEPTH):
            if not address:
                return None
            number = self.numeric_value(address)
            if number is not None:
                return int(number) if 0 <= number < 1 << 20 else None
            if any(name in ("_socket.socket", "socket") for name in self.class_names(address)):
                # `sock_fd` is the first field after the head (Modules/socketmodule.h).
                at = address + self.context.offset("PyMethodObject", "im_func")
                try:
                    fd = self.context.reader.u32(at)
                except UnreadableMemory:
                    return None
                return fd if fd < 1 << 20 else None
            for name in _FD_MEMBERS:
                number = self.numeric_value(self.attribute(address, name))
                if number is not None:
                    return int(number)
            address = self.attribute(address, *_TO_A_SOCKET)
        return None

    def lock_owner(self, address: int) -> int:
        """Return the task or greenlet that a lock says holds it (PyObject *); 0 when it does not.

        trio's and anyio's locks say so, asyncio's do not.
        """
        if self.wait_kind_by_class(address) != wait_rules.LOCK:
            return 0
        inner = self.attribute(address, "_Lock__original")  # anyio's of trio's
        owner = self.attribute(inner or address, "_owner", "_owner_task", "owner", "_RLock__owner")
        if self.class_name_of(owner).endswith(".TaskInfo"):  # anyio 3
            owner = self.attribute(owner, "id")
        number = self.numeric_value(owner)  # patched locks have the ident, which is the address
        return owner if number is None else int(number)

    def set_members(self, address: int, *names: str) -> tuple[int, ...]:
        """Return the members of the set that an object has by one of these names."""
        held = self.attribute(address, *names)
        with suppress(EpiError):
            if self.class_name_of(held) == "set":
                members = ContainerReader(self.context.reader).set_items(held)
                return tuple(islice(members, MAX_MEMBERS))
        return ()


def is_library_frame(frame: PyFrame) -> bool:
    """Tell whether a frame belongs to a library that is skipped on the way to the program's own."""
    return frame.hole is None and (frame.module or "").partition(".")[0] in wait_rules.LIBRARIES
