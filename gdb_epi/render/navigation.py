# SPDX-License-Identifier: Apache-2.0
"""The selected Python frame as one line; `epi frame`, `epi up` and `epi down` share it."""

from __future__ import annotations

from gdb_epi.errors import InputError
from gdb_epi.render.frame_lines import StackRow, row_lines
from gdb_epi.render.python_stacks import python_call
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.util import pick_attributes


def select_frame_by_distance(session: Session, count: int) -> Report:
    """Select the frame that is `count` callers away; beyond the last it is the last, as in GDB.

    Raises InputError when the selected frame is the last one already.
    """
    here, last = session.number_of_selected_frame(), session.frame_count() - 1
    if count > 0 and here == last:
        raise InputError("this is the outermost Python frame", hint="epi down")
    if count < 0 and here == 0:
        raise InputError("this is the innermost Python frame", hint="epi up")
    number = min(max(here + count, 0), last)
    session.select_python_frame(number)
    return frame_report(session, number)


def frame_report(session: Session, number: int) -> Report:
    """Return one Python frame of the chosen thread, with its number."""
    frame = session.python_frame_or_hole(number)
    (line,) = row_lines([StackRow(python_call(frame)._replace(number=number))], indent="")
    document = {
        "frame": number,
        **pick_attributes(frame, "name", "qualname", "filename", "lineno", "hole"),
    }
    return Report("frame", lines=[line], data=document)
