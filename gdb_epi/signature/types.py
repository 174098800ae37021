# SPDX-License-Identifier: Apache-2.0
"""What a signature consists of."""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.signature.categories.types import Category
from gdb_epi.signature.keys import HangKeyParts, Key
from gdb_epi.typing_lite import NamedTuple

# Why there is no native half where the files of the process were not at hand.
LACKS_FILES = (
    "the files of the mapped objects are not here: the unwinder could only guess",
    "the unwinder got no symbol and no further than one frame: it lacks the files",
)
# Why the code of a function without a name gives no key either: nothing here is of its build.
CODE_NOT_HERE = "the code of the function is neither in the core nor in a file with its build-id"


class MainThreadSignature(NamedTuple):
    """The signature of the main thread, when another thread aborted the process."""

    tid: int
    keys: Mapping[str, Key]


class Signature(NamedTuple):
    """The keys of one crash and how they came about.

    `keys` holds what could be had; `absent` says for every other key why not. `quality` is the
    share of plausible physical frames, None without a native stack. `function_code` is the name
    that the key `code` has for a function without one.
    """

    version: str
    category: Category
    tid: int | None
    thread_why: str
    core_key: str | None
    keys: Mapping[str, Key]
    absent: Mapping[str, str]
    native: bool
    quality: float | None
    steps: tuple[str, ...]
    secondary: MainThreadSignature | None
    hang: HangKeyParts | None = None
    function_code: str | None = None
