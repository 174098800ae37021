# SPDX-License-Identifier: Apache-2.0
"""What of a hung process cannot be read is not taken for nothing."""

from __future__ import annotations

from types import SimpleNamespace

from gdb_epi.errors import LayoutError
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.descriptor_waits import reads_inotify_events
from gdb_epi.hangs.live.name_walk import CodeWalkByNames
from gdb_epi.hangs.types import ThreadActivity


class CodeOfBrokenLists:
    """The collector's lists of objects cannot be walked."""

    @property
    def own_codes(self) -> frozenset[int]:
        raise LayoutError("no list of all functions")


def test_a_frame_that_cannot_be_read_may_do_anything() -> None:
    code = SimpleNamespace(view=SimpleNamespace(reader=None), calls=None)
    unread = SimpleNamespace(hole="unreadable", code=0)
    assert CodeWalkByNames(code, (unread,)).effects().unbounded
    assert not CodeWalkByNames(code, ()).effects().unbounded


def test_where_functions_are_not_listed_nothing_watches_files() -> None:
    activity = ThreadActivity(7, "reader", hang_types.READ, "data", target=5)
    scene = SimpleNamespace(
        descriptors=SimpleNamespace(object_type=lambda _: None),
        view=SimpleNamespace(frames=lambda _: ()), live_code=CodeOfBrokenLists(),
    )  # fmt: skip
    assert not reads_inotify_events(scene, activity)
