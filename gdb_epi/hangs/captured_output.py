# SPDX-License-Identifier: Apache-2.0
"""Output that goes into a pipe of the process itself, which reads it only afterwards.

Who captures what C code and children print too makes a pipe, puts its writing end in the place of
descriptor 1 or 2 (os.pipe(), os.dup2()), and reads when the captured code has returned. A pipe
holds 64 KiB (pipe(7)): code that prints more waits for a reader that comes only after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.context import Undecodable
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.descriptor_waits import may_other_processes_share_descriptors
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.types import HANG, HangDiagnosis, ThreadActivity, function_and_line

_REDIRECTS = frozenset(("pipe", "dup2"))
_OUTPUT = (1, 2)
_AT_REST = (hang_types.EVENT, hang_types.LOCK, hang_types.JOIN)


def diagnose_write_to_own_capture(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """Return the answer of a thread that writes output which its own callers capture by a pipe."""
    if activity.target not in _OUTPUT or activity.timed or activity.call == "connect":
        return None
    others = (d for d in context.activities if d.tid != activity.tid and context.view.frames(d.tid))
    # Who sleeps may read in turns, and a library's thread may read too.
    if context.foreign_threads or not all(d.kind in _AT_REST and not d.timed for d in others):
        return None
    capturing = next(_frames_capturing_output(context, activity), None)
    if capturing is None or may_other_processes_share_descriptors(context):
        return None
    frame, what = capturing
    name = "standard output" if activity.target == 1 else "standard error"
    return hang_types.wait_diagnosis(
        HANG, "pipe", f"{activity.waits()} to write to {name}, which {function_and_line(frame)} "
        f"has put into a pipe of this very process ({what}): that is read only when the captured "
        "code has returned, and the pipe is full", activity,
        evidence=(f"{what} calls os.pipe() and os.dup2()",
                  "a write to a pipe sleeps only when it is full"),
        ruled_out=("another thread or process that reads",),
        doubts=("whether it is that pipe's descriptor which was replaced",),
        fix=hang_types.READ_MEANWHILE,
    )  # fmt: skip


def _frames_capturing_output(
    context: HangContext, activity: ThreadActivity
) -> Iterator[tuple[PyFrame, str]]:
    """Yield the frames that capture output by a pipe, and what does so for them."""
    for frame in activity.frames:
        with suppress(UnreadableMemory, LayoutError):
            if context.names_called_before(frame, ever=True) >= _REDIRECTS:
                yield frame, f"{frame.qualname or frame.name}()"
    for frame, manager in context.view.slots.entered_with_blocks(activity.frames):
        with suppress(UnreadableMemory, LayoutError, Undecodable):
            name = _name_of_redirecting_manager(context, manager)
            if name:
                yield frame, f"its `with` block of {name}"


def _name_of_redirecting_manager(context: HangContext, manager: int) -> str:
    """Return the name of what makes a pipe where a `with` block begins, and puts it in a place.

    "" for other managers. Raises UnreadableMemory, LayoutError, Undecodable.
    """
    view, sites = context.view, context.call_sites
    shown = view.type_name(manager)
    resting = view.frame_of_manager(manager)
    if resting is not None:
        redirects = context.names_called_before(resting, ever=True) >= _REDIRECTS
        return f"{resting.qualname or resting.name}()" if redirects else ""
    process_values = get_process_values(context.target, context.python).context
    kind = process_values.obj(manager).type
    used, left = set[str](), ["__enter__"]
    for name in left:
        in_class = process_values.types.lookup(kind, name)
        if in_class is None or view.type_name(in_class[1]) != "function":
            continue
        code = view.reader.field(in_class[1], "PyFunctionObject", "func_code")
        names = sites.name_tuple(code, "co_names")
        used.update(names)
        if name == "__enter__":
            left += names
    return shown if used >= _REDIRECTS else ""
