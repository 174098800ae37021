# SPDX-License-Identifier: Apache-2.0
"""What is known of a core that was made on purpose."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HW, SW, AMBIGUOUS, LATENT = "hw", "sw", "ambiguous", "latent"
MEMORY, REGISTER = "memory", "register"


class Change(NamedTuple):
    """What was changed: a word of memory at `where`, or the register that `where` names."""

    what: str
    where: int | str
    original: int
    found: int
    path: str = MEMORY
    more: tuple[tuple[int, int, int], ...] = ()  # all, or further (address, original, found)
    symptoms: tuple[str, ...] = ()

    @property
    def bits(self) -> list[int]:
        """Return the bits that differ, 0 the lowest."""
        changed = self.original ^ self.found
        return [bit for bit in range(64) if changed >> bit & 1]

    def told(self) -> dict[str, Any]:
        """Return the label's fields about it."""
        place = hex(self.where) if isinstance(self.where, int) else None
        return {
            "what": self.what,
            "address": place,
            "register": self.where if isinstance(self.where, str) else None,
            "original": hex(self.original),
            "found": hex(self.found),
            "bits": self.bits,
            "path": self.path,
            "more": [[hex(word) for word in words] for words in self.more],
            "symptoms": list(self.symptoms),
        }


class Labelled(NamedTuple):
    """One labelled core on disk."""

    folder: Path
    label: dict[str, Any]

    @property
    def core(self) -> Path:
        """Return the core file."""
        return self.folder / "core"

    @property
    def executable(self) -> str:
        """Return the executable as a file of this machine."""
        return str(self.label["executable"])

    @property
    def sysroot(self) -> str | None:
        """Return the folder in which the core's paths live; None for this machine's own root."""
        root = self.label["sysroot"]
        return None if root is None else str(root)


def labels(*folders: Path | str) -> Iterator[Labelled]:
    """Yield the labelled cores below folders, in the order of their names."""
    for folder in folders:
        for path in sorted(Path(folder).rglob("label.json")):
            yield Labelled(path.parent, json.loads(path.read_text()))
