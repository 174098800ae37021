# SPDX-License-Identifier: Apache-2.0
"""Endless loops: a search for a file in a folder, then in the one above, that goes past the root.

`while not (folder / "x.ini").exists(): folder = folder.parent` ends when the file is there. The
parent of `/` is `/` again, that of an empty or relative path is that path (PurePath.parent,
os.path.dirname()). So a loop that tests nothing but for files, and whose variable has come to such
a path, asks for one file again and again.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.hangs.hang_context import HangContext, process_rule_from_thread_rule
from gdb_epi.hangs.loops.futile_polls import OF_FILES
from gdb_epi.hangs.types import HANG, HangDiagnosis, ThreadActivity, wait_diagnosis
from gdb_epi.locks.types import PROBABLE

_UPWARD = frozenset(("parent", "dirname"))
_OF_PATHS = OF_FILES | _UPWARD | frozenset((
    "Path", "PurePath", "path", "join", "joinpath", "str", "os", "pathlib", "fspath", "abspath",
    "normpath", "resolve", "absolute",
))  # fmt: skip
_KINDS_OF_PATHS = ("str", "PosixPath", "pathlib.PosixPath", "pathlib._local.PosixPath")
# What the step upward leads to again.
_OWN_PARENTS = frozenset(("'/'", "''", "PosixPath('/')", "PosixPath('.')"))
_NAMES = frozenset(("global", "name", "attr", "method"))


@process_rule_from_thread_rule
def diagnose_search_past_root_folder(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A thread seeks a file in the folder that is its own parent."""
    if not activity.frames or activity.timed:
        return None
    frame = activity.frames[0]
    folder = next(_folders_that_are_own_parents(context, frame), None)
    if folder is None:
        return None
    name, text = folder
    return wait_diagnosis(
        HANG, "endless search", f"{activity.who()} is in a loop without end at "
        f"{activity.where()}: it seeks a file in `{name}` and in the folder above, and has "
        f"come to {text}, whose parent is itself: the file is in none of these folders",
        activity._replace(key_frames=activity.frames), PROBABLE,
        evidence=(f"`{name}` is {text}, and the loop tests nothing but whether files exist",),
        ruled_out=("a comparison of the folder with its parent", "an exception of the loop"),
        doubts=("somebody who puts that file there",),
    )  # fmt: skip


def _folders_that_are_own_parents(
    context: HangContext, frame: PyFrame
) -> Iterator[tuple[str, str]]:
    """Yield the variable of a loop that only seeks files, and its value, if that is its own parent.

    Raises UnreadableMemory, LayoutError, IndexError.
    """
    sites, view, body = context.call_sites, context.view, context.innermost_loop_code(frame)
    if not body:
        return
    inside = {each.at for each in body}
    used = [
        (does, name) for at, does, name in sites.names_used_by_instructions(frame.code)
        if at in inside and does in _NAMES
    ]  # fmt: skip
    names = [name for _, name in used]
    tests = sum(sites.jump_target(each) is not None and each.goes_on for each in body)
    if tests != sum(name in OF_FILES for name in names) or _UPWARD.isdisjoint(names):
        return
    if not tests or any(
        sites.comparison_operator(each) or each.operation == "next" for each in body
    ):
        return
    own, scope = view.variable(frame, "self") or 0, context.live_code.calls.globals_of(frame)
    for does, name in used:
        of_scope = does in ("global", "name")
        word = view.objects.dict_get(scope, name) if of_scope else view.attribute(own, name)
        if name not in _OF_PATHS and not _is_str_or_path(context, word):
            return
    slots = sites.name_tables(frame.code)[1]
    stored = {
        slots[each.argument if each.operation == "store" else each.argument >> 4]
        for each in body if each.operation in ("store", "store_load")
    }  # fmt: skip
    values = {name: view.variable(frame, name) or 0 for name in stored}
    if not all(_is_str_or_path(context, at) for at in values.values()):
        return
    for name, at in values.items():
        text = get_process_values(context.target, context.python).value_of(at).text
        if text in _OWN_PARENTS:
            yield name, text


def _is_str_or_path(context: HangContext, word: object) -> bool:
    return isinstance(word, int) and context.view.type_name(word) in _KINDS_OF_PATHS
