# SPDX-License-Identifier: Apache-2.0
"""Futures that the code which waits for them has made, and handed to no library.

A library sets the futures that it makes, and those that it is given.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext

# Methods of containers and queues, which keep what they are given.
_KEEPS = frozenset("append appendleft insert add setdefault put put_nowait".split())
_ENDS = frozenset(("pop", "store", "test", "jump", "back", "cold", "await"))  # of a statement


def is_made_by(scene: HangContext, frame: PyFrame, future: int, makers: Collection[str]) -> bool:
    """Tell whether a frame's code made a future, by calling one of some names.

    Not where it passed it to a function that is none of the program's.
    """
    try:
        return _is_made_by(scene, frame, future, makers)
    except (UnreadableMemory, LayoutError, IndexError):
        return False


def _is_made_by(scene: HangContext, frame: PyFrame, future: int, makers: Collection[str]) -> bool:
    sites, code = scene.call_sites, frame.code
    running = scene.live_code.calls.running_byte(frame)
    if running is None:
        return False
    names = set[str]()
    for name, held in scene.view.variable_addresses(frame):
        if held == future:
            names.add(name)
        elif not held & 7:
            names |= {attribute for attribute, at in scene.view.attributes(held) if at == future}
    used: dict[int, list[str]] = {}
    for at, _, name in sites.names_used(code):
        used.setdefault(at, []).append(name)
    steps = [x for x in sites.instructions(code) if x.operation not in ("nothing", "extended")]
    is_made = is_argument = stays = False
    for step, following in pairwise(steps):
        loaded = list(filter(None, used.get(step.at, [])))
        if loaded and following.operation == "call" and not following.argument:
            is_made |= loaded[-1] in makers
        of_itself = following.operation in ("attr", "method") or following.name == "STORE_ATTR"
        for name in loaded[:-1] if of_itself else loaded:
            is_argument |= name in names and not stays
        stays |= any(name in _KEEPS or name in scene.live_code.own for name in loaded)
        is_call = step.name.startswith("CALL")
        if is_call and is_argument and step.end <= running:
            return False
        if is_call or step.operation in _ENDS or step.name.startswith(("STORE_", "RETURN_")):
            is_argument = stays = False
    return is_made
