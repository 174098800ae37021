# SPDX-License-Identifier: Apache-2.0
"""What calls of the standard library do: to their arguments and objects, and whose code they run.

The one place where such calls are listed. Whatever is not listed may do anything: a function of C,
or of a library, that is not here may change its arguments, and what those hold, and call whatever
somebody keeps; a method of C may change its object.
"""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Mapping

# -- modules, by the first part of their name, without underscores before it ----------------------

HARMLESS = 1  # their functions change none of their arguments
QUIET = 2  # they call no function of the program's but those given to the call
GIVES_DATA = 4  # they return nothing that is the program's
CALLS_NOTHING = 8  # not even their arguments, but for methods of the program's classes
MAKES_OBJECTS = 16  # of classes that they were not given
KEEPS_WITHIN = 32  # they are written in Python, and keep in their own objects what they call
EVENT_LOOP = 64  # a library of loops, as quiet as asyncio

_MODULES: Mapping[str, int] = {
    name: effects
    for effects, names in (
        (HARMLESS | QUIET | GIVES_DATA | CALLS_NOTHING,
         "base64 calendar csv datetime decimal errno fractions getpass gzip hashlib hmac locale "
         "logging math numbers os pathlib platform posixpath secrets socket statistics string "
         "struct tempfile textwrap time uuid zlib"),
        (HARMLESS | QUIET | GIVES_DATA,
         "email io json re shutil signal sqlite3 ssl subprocess traceback urllib warnings"),
        (HARMLESS | QUIET,
         "abc asyncio builtins codecs collections configparser contextlib dataclasses encodings "
         "enum fnmatch functools gc genericpath glob importlib ipaddress itertools pprint queue "
         "random reprlib runpy select selectors stat sys threading types typing"),
        (HARMLESS,
         "argparse atexit binascii bz2 contextvars faulthandler html inspect linecache lzma "
         "psutil sre tokenize unittest weakref xml"),
        (HARMLESS | EVENT_LOOP, "trio gevent greenlet outcome"),
        (HARMLESS | KEEPS_WITHIN, "concurrent sched socketserver wsgiref xmlrpc"),
        (HARMLESS | QUIET | GIVES_DATA | KEEPS_WITHIN, "http"),
        (HARMLESS | GIVES_DATA | CALLS_NOTHING, "posix shlex"),
        (HARMLESS | GIVES_DATA, "resource thread"),
        (HARMLESS | QUIET | MAKES_OBJECTS, "copy pickle"),
        (HARMLESS | MAKES_OBJECTS, "copyreg multiprocessing"),
        (MAKES_OBJECTS, "cloudpickle ctypes dill joblib marshal shelve"),
        (QUIET, "weakrefset bisect heapq operator sre_compile sre_parse"),
        (QUIET | GIVES_DATA | CALLS_NOTHING, "fcntl"),
    )
    for name in names.split()
}  # fmt: skip
_HARMLESS_FUNCTIONS = frozenset(
    "nlargest nsmallest merge bisect bisect_left bisect_right itemgetter attrgetter getitem "
    "contains eq ne lt le gt ge add sub mul truediv floordiv mod neg not_ truth is_ is_not "
    "countOf indexOf length_hint index concat flock lockf fcntl sizeof addressof byref".split()
)  # of other modules
_CHANGING_FUNCTIONS = frozenset(("shuffle", "readv", "preadv"))  # of harmless modules


def top_package(module: str) -> str:
    """Return the name under which a module stands in the table."""
    return module.partition(".")[0].lstrip("_")


def has_module_effect(module: str, effects: int) -> bool:
    """Tell whether the functions of a module have any of some effects."""
    return bool(_MODULES.get(top_package(module), 0) & effects)


def is_function_without_side_effects(module: str, name: str) -> bool:
    """Tell whether a function of a library changes nothing of what it is given."""
    if name in _CHANGING_FUNCTIONS or name.endswith("into"):
        return False
    return name in _HARMLESS_FUNCTIONS or has_module_effect(module, HARMLESS)


# Whose functions run code that is not there yet.
_LOADS_CODE = frozenset("importlib runpy imp code pkgutil zipimport importlib.util".split())


def may_load_unseen_code(module: str) -> bool:
    """Tell whether functions of a module may run code that nobody has loaded."""
    return module in _LOADS_CODE


# Whose objects of C code call nothing that they were given before.
_QUIET_OBJECTS = frozenset("thread contextvars array mmap multiprocessing weakref".split())


def do_module_objects_call_nothing(module: str) -> bool:
    """Tell whether objects of a module call nothing that they were given before."""
    top = top_package(module)
    return top in _QUIET_OBJECTS or (
        top != "sqlite3" and has_module_effect(top, QUIET | EVENT_LOOP)
    )


def is_inert_c_object(module: str, kind: str) -> bool:
    """Tell whether an object of C code calls nothing that it refers to, or that is followed."""
    top = top_package(module)
    return top in _QUIET_OBJECTS or top == "asyncio" or kind in _FOLLOWED


# -- methods --------------------------------------------------------------------------------------

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
_BY_NAME_ALONE = frozenset(("__init__", "__new__", "__class__", "__init_subclass__", "__setattr__",
                            "__delattr__", "__setstate__"))  # fmt: skip
# Methods that change nothing of their object: all those of what cannot be changed, and these.
READS = frozenset(
    name for kind in (str, bytes, int, float, tuple, frozenset, range) for name in dir(kind)
    if name not in _BY_NAME_ALONE
) | frozenset(
    "get keys values items copy fromkeys __reversed__ __sizeof__ most_common elements total "
    "maxlen default_factory buffer_info itemsize typecode tobytes tolist __class_getitem__ "
    "locked is_set done cancelled qsize empty full fileno getvalue tell closed is_alive".split()
)  # fmt: skip
# Methods by which containers of Python are changed, as they are written in C.
CHANGERS = frozenset(
    name for kind in (list, dict, set, bytearray, deque, OrderedDict, defaultdict, Counter, array)
    for name in dir(kind)
) - READS - _BY_NAME_ALONE  # fmt: skip
# Methods of any object that leave their arguments alone.
OF_OWN_OBJECT = (READS | CHANGERS | OF_DATA | frozenset(
    "execute executemany fetchone fetchall commit rollback writelines readlines truncate seek "
    "connect bind listen accept shutdown setsockopt getsockopt setblocking register unregister "
    "modify poll select throw __next__ move_to_end subtract digest hexdigest release_lock".split()
))  # fmt: skip
# Methods of containers and queues that put their arguments in, and that give what is in them.
INSERTS = frozenset(
    "append appendleft add insert extend extendleft update setdefault put put_nowait "
    "__setitem__ push".split()
)
TAKES = frozenset(
    "pop popleft popitem get values items keys copy __getitem__ get_nowait union difference "
    "intersection elements most_common".split()
)
OF_PAIRS = {"items": "pairs", "most_common": "pairs", "popitem": "pair"}
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
# Methods that code calls without their names.
UNNAMED = (
    "__setitem__", "__getitem__", "__delitem__", "__setattr__", "__getattr__", "__getattribute__",
    "__call__", "__iter__", "__next__", "__contains__", "__bool__", "__del__", "__get__", "__set__",
    "__await__", "__aiter__", "__anext__", "__missing__",
)  # fmt: skip
MANAGERS = ("__enter__", "__exit__", "__aenter__", "__aexit__")

# -- built-in functions and classes ---------------------------------------------------------------

# By them code reaches names that are not seen in it: by its values, and by its names alone.
UNFOLLOWED = frozenset(("exec", "eval", "vars", "globals", "locals", "methodcaller", "attrgetter",
                        "delattr", "__dict__", "pythonapi"))  # fmt: skip
UNFOLLOWED_BY_NAME = UNFOLLOWED - {"locals"} | {"setattr", "getattr"}
CONTAINERS = frozenset((
    "list", "dict", "set", "frozenset", "tuple", "collections.deque", "collections.OrderedDict",
    "collections.defaultdict", "dict_keys", "dict_values", "dict_items",
))  # fmt: skip
MAKES_NUMBER_OR_TEXT = frozenset((
    "int", "float", "str", "bytes", "bool", "complex", "bytearray", "object", "range", "slice",
    "memoryview",
))  # fmt: skip
GOES_OVER_ITEMS = frozenset((
    "list", "tuple", "set", "frozenset", "dict", "reversed", "enumerate", "zip", "filter",
    "collections.deque", "collections.OrderedDict", "collections.defaultdict",
))  # fmt: skip
GIVES_ONE_ITEM = frozenset(("next", "min", "max", "sum", "anext"))
GIVES_ITEMS = frozenset(("iter", "sorted"))
ONLY_LOOKS = frozenset((
    "len", "isinstance", "issubclass", "id", "repr", "hash", "callable", "print", "abs", "round",
    "ord", "chr", "any", "all", "hasattr", "bin", "hex", "oct", "format", "ascii", "divmod", "pow",
))  # fmt: skip
# Kinds whose calls the walk follows itself.
_FOLLOWED = CONTAINERS | frozenset((
    "function", "method", "builtin_function_or_method", "functools.partial", "partial", "type",
    "generator", "coroutine", "async_generator", "cell", "frame", "module", "code", "property",
    "staticmethod", "classmethod", "method_descriptor", "wrapper_descriptor", "getset_descriptor",
    "member_descriptor", "mappingproxy", "traceback", "method-wrapper", "super",
))  # fmt: skip
CALLING_ITERATORS = ("map", "filter", "zip", "callable_iterator", "itertools.")
GENERATORS = ("generator", "coroutine", "async_generator")
