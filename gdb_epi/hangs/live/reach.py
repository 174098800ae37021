# SPDX-License-Identifier: Apache-2.0
"""What some code may do, and which parts of libraries do nothing of the program's."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gdb_epi.typing_lite import NamedTuple

# Methods of plain data, and of the library's locks, queues, files and sockets, call nobody back.
OF_DATA = frozenset(
    name for kind in (str, bytearray, list, dict, set, tuple, int, float, bytes)
    for name in dir(kind) if not name.startswith("__")
) | frozenset(
    "sleep acquire release wait wait_for notify notify_all set is_set put get put_nowait "
    "get_nowait task_done join start is_alive qsize empty full send sendall recv read readline "
    "write flush close append appendleft popleft rotate total_seconds group match search fileno "
    "settimeout debug info warning error exception critical log done cancelled "
    "result isoformat strftime timestamp monotonic time perf_counter now "
    # Attributes of the standard library that are data: of enums, threads, errors, dates, paths.
    "name value args errno strerror filename ident native_id daemon year month day hour minute "
    "second microsecond days seconds microseconds tzinfo returncode pid st_size st_mtime st_mode "
    "stem suffix suffixes parent parents parts maxsize maxlen hostname port".split()
)  # fmt: skip
# Parts of the standard library that call no function of the program but those given to the call.
QUIET = frozenset(
    "threading queue time logging random json re os posixpath genericpath pathlib socket ssl "
    "select selectors io codecs struct string math datetime collections copy enum uuid "
    "hashlib base64 urllib http email ipaddress tempfile shutil contextlib dataclasses "
    "typing abc types traceback warnings platform statistics decimal fractions csv "
    "configparser zlib gzip pickle textwrap pprint itertools heapq bisect operator secrets "
    "hmac fcntl errno stat glob fnmatch locale calendar numbers subprocess "
    "sqlite3 runpy builtins importlib encodings signal gc sys functools asyncio sre_parse "
    "sre_compile getpass _weakrefset reprlib".split()
)  # fmt: skip

# Names by which code changes what no name of a store tells: the variables of frames that run
# (Objects/frameobject.c; without PyFrame_LocalsToFast since 3.13, PEP 667), items and attributes.
REWIRING = frozenset((
    "f_locals", "PyFrame_LocalsToFast", "__setattr__", "__delattr__", "__setitem__", "__delitem__",
    "__set__", "__delete__", "__ior__", "__iadd__", "__iand__", "__isub__", "__ixor__",
    "__setstate__",
))  # fmt: skip
# Attributes by whose store others change: all of an object's, what a function does, a cell.
REWIRED = ("__class__", "__dict__", "__bases__", "__code__", "__defaults__", "__kwdefaults__",
           "cell_contents")  # fmt: skip


class Body(NamedTuple):
    """Code that may run: all of it, or of a frame what is left."""

    code: int
    names: dict[str, int]
    scope: int
    live: tuple[tuple[int, int], ...]
    running: int = 0  # code whose call has been made, and is not made again
    is_frame: bool = False  # of one that runs or rests: what came before has been done


class Reach(NamedTuple):
    """What some code may do: (object, method) of its calls, object 0 where it is not known.

    `unbounded`: it cannot be followed, and may do anything. `touched` are the objects with which it
    does what is not known to be harmless, 0 for any; None where values were not followed.
    """

    calls: frozenset[tuple[int, str]]
    bodies: tuple[Body, ...]
    unbounded: bool = False
    touched: frozenset[int] | None = None

    def calls_any(self, address: int, methods: Collection[str]) -> bool:
        """Tell whether it may call one of some methods of an object."""
        return self.unbounded or self.names(address, methods) or self.names(0, methods)

    def names(self, address: int, methods: Collection[str]) -> bool:
        """Tell whether it calls one of some methods of this very object."""
        return any(at == address and (name in methods or name == "*") for at, name in self.calls)

    def touches(self, objects: Collection[int]) -> bool:
        """Tell whether it may change one of some objects, of what its values show."""
        return bool(self.touched) and (
            0 in (self.touched or ()) or not (self.touched or frozenset()).isdisjoint(objects)
        )


ANYTHING = Reach(frozenset(), (), unbounded=True)


def covers(live: Iterable[tuple[int, int]], at: int) -> bool:
    """Tell whether a byte lies in one of some (first, last)."""
    return any(first <= at <= last for first, last in live)
