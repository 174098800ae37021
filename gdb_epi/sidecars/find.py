# SPDX-License-Identifier: Apache-2.0
"""Find what lies beside a core: named by the user, or by the names that tools use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from gdb_epi.errors import InputError
from gdb_epi.sidecars.types import Sidecar, strip_compression_suffix
from gdb_epi.typing_lite import NamedTuple

JOURNAL_ENDINGS = (".journal.json", ".journal", ".export")
APPORT_ENDINGS = (".crash",)
HOST_NAMES = ("host.json",)


class SidecarOptions(NamedTuple):
    """What the user said about sidecars: files, a core_pattern, whether to look beside cores."""

    host_json: str | None = None
    journal: str | None = None
    apport: str | None = None
    core_pattern: str | None = None
    beside: bool = True


def find_sidecars(
    core: str, asked: SidecarOptions, pid: int | None, *, is_here: bool = True
) -> list[Sidecar]:
    """Return the sidecars of a core, the strongest first.

    Of a core that is not on this machine (`is_here`) only its name is looked at, and what is named.

    The order is that of precedence: --host-json, the journal, extended attributes, an apport
    report, a host.json beside the core, the file's name.
    Raises InputError for a named file that is unusable.
    """
    sidecars: list[Sidecar | None] = []
    named = asked.beside or asked.core_pattern is not None
    asked = asked._replace(beside=asked.beside and is_here)
    if asked.host_json is not None:
        from gdb_epi.sidecars.host_json import read_host_json_named_by_user

        sidecars.append(read_host_json_named_by_user(asked.host_json)._replace(kind="--host-json"))
    sidecars += _journal_sidecars(core, asked, pid)
    if asked.beside:
        from gdb_epi.sidecars.filename import read_xattr_sidecar

        sidecars.append(read_xattr_sidecar(core))
    sidecars += _apport_sidecars(core, asked)
    if asked.beside:
        from gdb_epi.sidecars.host_json import read_host_json_found_beside_core

        sidecars += _first_usable_sidecar(_host_json_paths(core), read_host_json_found_beside_core)
    from gdb_epi.sidecars.filename import read_file_name_sidecar

    if named:
        sidecars.append(read_file_name_sidecar(core, asked.core_pattern))
    return [sidecar for sidecar in sidecars if sidecar is not None]


def sidecar_paths_beside(core: str) -> Iterator[str]:
    """Yield the files that would be read beside a core, whether they are there or not."""
    yield from _paths_beside_core(core, JOURNAL_ENDINGS)
    yield from _apport_paths_beside(core)
    yield from _host_json_paths(core)


def _host_json_paths(core: str) -> list[str]:
    folder = os.path.dirname(core)
    return [core + ".host.json", *(os.path.join(folder, name) for name in HOST_NAMES)]


def _apport_paths_beside(core: str) -> list[str]:
    paths = list(_paths_beside_core(core, APPORT_ENDINGS))
    if os.path.basename(core) == "CoreDump":  # what apport-unpack makes
        paths.append(os.path.dirname(core) or ".")
    return paths


def _journal_sidecars(core: str, asked: SidecarOptions, pid: int | None) -> Iterator[Sidecar]:
    def read_journal_sidecar(path: str) -> Sidecar | None:
        from gdb_epi.sidecars.journal import read_journal

        return read_journal(path, core, pid)

    if asked.journal is not None:
        yield from _read_sidecar_named_by_user("--journal", asked.journal, read_journal_sidecar)
    elif asked.beside:
        yield from _first_usable_sidecar(
            _paths_beside_core(core, JOURNAL_ENDINGS), read_journal_sidecar
        )


def _apport_sidecars(core: str, asked: SidecarOptions) -> Iterator[Sidecar]:
    def read_apport_sidecar(path: str) -> Sidecar | None:
        from gdb_epi.sidecars.apport import read_apport_report

        return read_apport_report(path)

    if asked.apport is not None:
        yield from _read_sidecar_named_by_user("--apport", asked.apport, read_apport_sidecar)
    elif asked.beside:
        yield from _first_usable_sidecar(_apport_paths_beside(core), read_apport_sidecar)


def _paths_beside_core(core: str, endings: tuple[str, ...]) -> Iterator[str]:
    for stem in dict.fromkeys((core, strip_compression_suffix(core))):
        for ending in endings:
            yield stem + ending


def _read_sidecar_named_by_user(
    option: str, path: str, read: Callable[[str], Sidecar | None]
) -> Iterator[Sidecar]:
    try:
        sidecar = read(path)
    except OSError as error:
        message = f"{option} {path}: {error.strerror or error}"
        raise InputError(message, hint="check the path") from None
    if sidecar is None:
        raise InputError(f"{option} {path}: not such a file", hint="gdb-epi triage --help")
    yield sidecar


def _first_usable_sidecar(
    paths: Iterator[str] | list[str], read: Callable[[str], Sidecar | None]
) -> Iterator[Sidecar]:
    """Yield the first that can be used; one that cannot be read is reported, not fatal."""
    for path in paths:
        if not os.path.exists(path):
            continue
        try:
            sidecar = read(path)
        except OSError as error:
            yield Sidecar("file", os.path.basename(path), {}, {}, (error.strerror or str(error),))
            continue
        if sidecar is not None:
            yield sidecar
            return
