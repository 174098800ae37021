# SPDX-License-Identifier: Apache-2.0
"""What is known to leave alone what it is given: whatever else code does may change that.

The lists are of the harmless. A function of C, or of a library, that is not here may change its
arguments, and what those hold; a method of C its object, unless it is known to read only.
"""

from __future__ import annotations

from array import array
from collections import Counter, OrderedDict, defaultdict, deque

from gdb_epi.hangs.live.reach import OF_DATA

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
# Parts of the standard library whose functions change none of their arguments.
MODULES = frozenset(
    "builtins time os posix posixpath genericpath json re sre math datetime uuid hashlib base64 "
    "string zlib gzip bz2 lzma socket ssl urllib http email pathlib tempfile shutil platform "
    "statistics decimal fractions csv locale secrets subprocess sqlite3 logging io getpass gc "
    "resource errno traceback warnings textwrap hmac calendar numbers shlex signal thread "
    "threading queue copy copyreg pprint reprlib itertools functools select selectors collections "
    "contextlib dataclasses typing abc types enum inspect weakref concurrent asyncio pickle struct "
    "multiprocessing random codecs encodings importlib sys faulthandler binascii fnmatch glob stat "
    "linecache tokenize atexit configparser argparse html xml ipaddress contextvars sched trio "
    "gevent greenlet outcome socketserver wsgiref xmlrpc unittest runpy psutil".split()
)  # fmt: skip
# Of others these do not, and of those above these do.
FUNCTIONS = frozenset(
    "nlargest nsmallest merge bisect bisect_left bisect_right itemgetter attrgetter getitem "
    "contains eq ne lt le gt ge add sub mul truediv floordiv mod neg not_ truth is_ is_not "
    "countOf indexOf length_hint index concat flock lockf fcntl sizeof addressof byref".split()
)  # fmt: skip
_CHANGING = frozenset(("shuffle", "readv", "preadv"))


def is_harmless(module: str, name: str) -> bool:
    """Tell whether a function of a library changes nothing of what it is given."""
    if name in _CHANGING or name.endswith("into"):
        return False
    return name in FUNCTIONS or module.lstrip("_").partition(".")[0] in MODULES
