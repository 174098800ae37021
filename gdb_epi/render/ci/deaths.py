# SPDX-License-Identifier: Apache-2.0
"""One death of a CI run: what died, how, and what its record says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.record.record_parts import get_group, grouping_line, verdict_label
from gdb_epi.render.ci.source_lines import SourceLine
from gdb_epi.typing_lite import Any, NamedTuple

CRASHED, HUNG, ENDED = "crashed", "hung", "ended the process"
NO_CORE = "no-core"  # in place of a verdict and a category


class Death(NamedTuple):
    """What died. `subject` names it: a test, a run, a core; `verb` is CRASHED, HUNG or ENDED.

    `sentence` is what happened; without a record it says why there is none. `screen` has the lines
    of the whole answer. `place` is where to point when the record has no frame of the program's
    own; `times` how often this death came.
    """

    subject: str
    verb: str
    sentence: str
    record: Mapping[str, Any]
    screen: Sequence[str] = ()
    place: SourceLine | None = None
    times: int = 1

    @property
    def category(self) -> str:
        """The kind of death (signature/SPEC.md, 3.1)."""
        return str(get_group(self.record, "signature").get("category") or NO_CORE)

    @property
    def verdict(self) -> str:
        """The label of the verdict."""
        return verdict_label(self.record) if self.record else NO_CORE

    @property
    def signature(self) -> str:
        """The line of the key that groups it; "" without one."""
        return grouping_line(get_group(self.record, "signature"))

    @property
    def keys(self) -> dict[str, str]:
        """The available keys of the signature, by name."""
        keys = get_group(get_group(self.record, "signature"), "keys")
        return {str(name): key for name, key in keys.items() if isinstance(key, str)}
