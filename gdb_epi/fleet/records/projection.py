# SPDX-License-Identifier: Apache-2.0
"""From a record to the rows of the star; tolerant, because records come from afar.

gdb_epi/record/schema/SCHEMA.md says what a record holds. One may be minimal, newer than this code,
or hostile: a value of the wrong kind counts as absent, and the record itself is kept whole in
`raw`.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from gdb_epi.errors import InputError
from gdb_epi.fleet.records.crash_times import FILE_DATE, NO_ZONE, UNREADABLE, judge_time
from gdb_epi.fleet.records.facts import facts_of_core, flipped_bit_number
from gdb_epi.fleet.records.values import (
    claimed_time,
    int32_or_none,
    number_or_none,
    scalar_texts,
    text_or_none,
)
from gdb_epi.judgement.labels import MODEL
from gdb_epi.record.record_parts import get_group
from gdb_epi.record.schema.versions import check_schema

# -- The verdict as the fleet counts it: labels of another model are other labels ------------------
#
# A model is what a verdict means (`verdict.model`); a record without one is of model 1. In the
# table the labels of this version's model stand plain, those of another with its number,
# "software (model 1)". So no count adds up two meanings. `gdb-epi resign --apply` judges stored
# records anew.

FIRST_MODEL = 1
_OTHER = " (model "


def counted_label(verdict: Mapping[str, Any]) -> str | None:
    """Return the label under which a verdict is counted; None without a label."""
    label = text_or_none(verdict.get("label"))
    if label is None:
        return None
    model = read_verdict_model(verdict)
    return label if model == MODEL else f"{label}{_OTHER}{model})"


def read_verdict_model(verdict: Mapping[str, Any]) -> int:
    """Return the model of a verdict."""
    return int32_or_none(verdict.get("model")) or FIRST_MODEL


def is_of_this_model(label: str) -> bool:
    """Whether a counted label is one of this version's model."""
    return _OTHER not in label


# -- From a record to the rows of the star; tolerant, because records come from afar ---------------

_Value = TypeVar("_Value")

MAX_BYTES = 16 << 20  # of the keys as Python writes them; what hangs on them is two to five times


class BoundedCache(dict[Any, _Value]):
    """Values by key. A hostile feed has a new key, of megabytes, in each record."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._bytes = 0

    def keep(self, key: Any, value: _Value) -> None:
        """Remember a value; `is_full` may be true afterwards."""
        self._bytes += len(repr(key))
        self[key] = value

    @property
    def is_full(self) -> bool:
        """Whether there is enough of it to be forgotten."""
        return len(self) >= self._most or self._bytes >= MAX_BYTES

    def forget(self) -> None:
        """Forget all of it."""
        self.clear()
        self._bytes = 0


# -- From a record to the rows of the star; tolerant, because records come from afar ---------------

SMALL_PID = 1_000  # a container's processes have pids below it


def hash_identifying_death(record: Mapping[str, Any]) -> int | None:
    """Return 31 bits of boot (else host), pid and fault address, from 1 on; None: not known."""
    process = record.get("process")
    pid = process.get("pid") if isinstance(process, dict) else None
    if not isinstance(pid, int) or isinstance(pid, bool) or pid <= 0:
        return None
    host = get_group(record, "host")
    where = text_or_none(host.get("boot_id")) or text_or_none(host.get("machine_id"))
    where = where or (text_or_none(host.get("hostname")) or "").partition(".")[0].lower()
    if not where:
        return None
    stack = ""
    if pid < SMALL_PID:
        frames = get_group(get_group(record, "threads"), "crashed").get("frames")
        top = frames[0] if isinstance(frames, list) and frames else None
        stack = text_or_none(top.get("sp")) or "" if isinstance(top, dict) else ""
        if not stack:
            return None
    address = get_group(record, "signal").get("fault_address")
    return zlib.crc32(f"{where} {pid} {address} {stack}".encode(errors="replace")) >> 1 or 1


# -- From a record to the rows of the star; tolerant, because records come from afar ---------------

MAX_REMEMBERED = 50_000  # sets; a hostile feed has a new one in each record
MAX_LIBS = 2048  # of one process
MAX_PACKAGES = 512  # the same
PATTERN = "core_pattern"  # source of a host's name: %h of a process in a container is its pod's
PACKAGE = "python:"  # before the name of a Python package among the libraries
_KEY = re.compile(r"[0-9A-Za-z._:-]{1,128}\Z")
# Columns of crash without the id and the foreign keys, in the order of Rows.values.
CRASH = (
    "core_key", "ts", "ts_source", "boot_id", "exe", "signo", "si_code", "cpu_no", "python",
    "kernel", "verdict", "confidence", "bitflip", "flip_bit", "lock_inherited", "truncated",
    "quality", "schema_v", "tool_v", "ts_claimed", "received", "death",
)  # fmt: skip
FLAGS = ("bitflip", "lock_inherited", "truncated")  # of CRASH


class RecordRows(NamedTuple):
    """One record as rows; a key tuple names a row of a dimension (`sig` ... `libset`)."""

    core_key: str
    values: tuple[Any, ...]  # of the columns CRASH
    sig: tuple[str, str, str, str] | None  # version, kind, key, coarse
    sig_values: dict[str, Any]
    trace: tuple[str, str, str] | None  # version, exact, strict
    frames: Any  # what the trace's row keeps as JSON
    host: tuple[str, str] | None  # name, machine_id
    attributes: dict[str, str]
    libs: _Libs
    libset: str | None
    attrset: str | None
    facts: dict[str, str]
    factset: str | None

    @property
    def crash_columns(self) -> dict[str, Any]:
        """The columns of crash without the foreign keys, by name."""
        columns = dict(zip(CRASH, self.values, strict=True))
        columns |= {name: bool(columns[name]) for name in FLAGS if columns[name] is not None}
        return columns

    @property
    def trace_values(self) -> dict[str, Any]:
        """The other columns of the trace."""
        return {"frames": json.dumps(self.frames) if self.frames else None}


# The keys of `sig` and its other columns, the key of `trace`, and the line that stands for frames.
_Signature = tuple[
    tuple[str, str, str, str] | None, dict[str, Any], tuple[str, str, str] | None, str | None
]
_Libs = tuple[tuple[str, str, str], ...]  # soname, build_id, version


class Projector:
    """Projects records; remembers sets that many records share, such as a host's attributes."""

    def __init__(self, received: float | None = None) -> None:
        self.received = received  # when the records came, seconds since the epoch
        self._attributes = BoundedCache[tuple[dict[str, str], str | None]](MAX_REMEMBERED)
        self._libs = BoundedCache[tuple[_Libs, str | None]](MAX_REMEMBERED)
        self._facts = BoundedCache[str](MAX_REMEMBERED)
        self._signatures = BoundedCache[_Signature](MAX_REMEMBERED)

    def project(self, record: Mapping[str, Any]) -> RecordRows:
        """Return the rows of one record. Raises InputError when it is no record with a core_key."""
        check_schema(record)
        core_key = record.get("core_key")
        if not isinstance(core_key, str) or not _KEY.match(core_key):
            raise InputError("its notes are cut off, so nothing tells it from other cores")
        signature = get_group(record, "signature")
        sig, sig_values, trace, line = self._project_signature(signature)
        host = get_group(record, "host")
        host_name, machine = _host_name(record, host), text_or_none(host.get("machine_id")) or ""
        attributes, attrset = self._project_host(get_group(host, "attributes"))
        libs, libset = self._project_libs(record)
        facts = facts_of_core(record)
        return RecordRows(
            core_key,
            _crash_values(record, core_key, self.received),
            sig,
            sig_values,
            trace,
            signature.get("frames") or line,
            (host_name, machine) if host_name or machine else None,
            attributes,
            libs,
            libset,
            attrset,
            facts,
            self._hash_of_facts(facts) if facts else None,
        )

    def _project_signature(self, signature: Mapping[str, Any]) -> _Signature:
        keys, lines = get_group(signature, "keys"), get_group(signature, "text")
        chosen = get_group(signature, "group")
        try:
            # Texts alone count here, so that True and 1 mean the same: absent.
            key: Any = (
                signature.get("version"), signature.get("category"), len(chosen), len(keys),
                *chosen, *chosen.values(), *keys, *keys.values(), *lines, *lines.values(),
            )  # fmt: skip
            projected = self._signatures.get(key)
        except TypeError:  # a list or map among the values
            key, projected = None, None
        if projected is None:
            projected = _signature_row(signature, keys, lines)
            _remember_in_bounded_cache(self._signatures, key, projected)
        return projected

    def _project_host(self, given: Mapping[str, Any]) -> tuple[dict[str, str], str | None]:
        if not given:
            return {}, None
        try:
            # True, 1 and 1.0 are equal keys and different texts.
            key = (*given, *given.values(), *map(type, given.values()))
            projected = self._attributes.get(key)
        except TypeError:  # a list or map among the values
            key, projected = None, None
        if projected is None:
            clean = scalar_texts(given)
            projected = clean, hash_of_set(sorted(clean.items())) if clean else None
            _remember_in_bounded_cache(self._attributes, key, projected)
        return projected

    def _project_libs(self, record: Mapping[str, Any]) -> tuple[_Libs, str | None]:
        libs = record.get("libs")
        interpreter = record.get("python")
        packages = interpreter.get("packages") if isinstance(interpreter, dict) else None
        packages = packages if isinstance(packages, list) else []
        if libs is None and not packages and "libset" not in record:
            return (), None
        if isinstance(libs, dict):
            libs = libs.get("modules") or libs.get("libs")
        libs = libs if isinstance(libs, list) else []
        if not libs and not packages:
            return (), _libset_hash(record, ())
        try:
            key: Any = tuple([tuple(lib.items()) for lib in libs[:MAX_LIBS]])
            if packages:
                key = key, tuple([(p["name"], p["version"]) for p in packages[:MAX_PACKAGES]])
            projected = self._libs.get(key)
        except (TypeError, AttributeError, KeyError):
            key, projected = None, None
        if projected is None:
            rows = (*_library_rows(libs), *_package_rows(packages))
            projected = rows, _libset_hash(record, rows)
            _remember_in_bounded_cache(self._libs, key if rows else None, projected)
        return projected

    def _hash_of_facts(self, facts: dict[str, str]) -> str:
        key = tuple(facts.items())
        projected = self._facts.get(key)
        if projected is None:
            projected = hash_of_set(sorted(facts.items()))
            _remember_in_bounded_cache(self._facts, key, projected)
        return projected


def _remember_in_bounded_cache(cache: BoundedCache[Any], key: Any, value: Any) -> None:
    if key is not None:
        if cache.is_full:
            cache.forget()
        cache.keep(key, value)


def project_record(record: Mapping[str, Any], received: float | None = None) -> RecordRows:
    """Return the rows of one record that came at a time (seconds since the epoch).

    Raises InputError when it is no record with a core_key.
    """
    return Projector(received).project(record)


def record_rank(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return how good a record is: quality first, then the tool version."""
    full = int(bool(get_group(record, "signal") or get_group(record, "process")))
    # The version of the tool that made the record, () when absent.
    parts = re.findall(r"\d{1,9}", _tool_version(record) or "")[:4]
    return (full, record_quality(record), tuple(int(part) for part in parts))


def record_quality(record: Mapping[str, Any]) -> float:
    """Return the sum of unwinder and symbol quality (0..2), 0 when absent."""
    value = record.get("quality")
    if isinstance(value, dict):
        parts = [number_or_none(value.get(name)) or 0.0 for name in ("unwinder", "symbols")]
        return round(sum(parts), 6)
    return number_or_none(value) or 0.0


def merge_records(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the better of two records of one core, with what only the other one knows.

    A re-analysis on another machine must not lose host and time that a collector knew.
    """
    best, other = (new, old) if record_rank(new) > record_rank(old) else (old, new)
    merged = {**other, **best}
    if _time_rank(other) > _time_rank(best):
        # The source goes with its time: one that says nothing of it is no file's date.
        kept = {k: v for k, v in get_group(best, "time").items() if k != "ts_source"}
        merged["time"] = {**kept, **get_group(other, "time")}
    hosts = get_group(other, "host"), get_group(best, "host")
    if hosts[0] or hosts[1]:
        shared = {**get_group(hosts[0], "attributes"), **get_group(hosts[1], "attributes")}
        merged["host"] = {**hosts[0], **hosts[1]}
        if shared:
            merged["host"]["attributes"] = shared
    return merged


def _flag_or_none(value: Any) -> int | None:
    """0 or 1, which sqlite3 binds without looking for an adapter."""
    return int(value) if isinstance(value, bool) else None


def _signature_row(
    signature: Mapping[str, Any], keys: Mapping[str, Any], lines: Mapping[str, Any]
) -> _Signature:
    version = text_or_none(signature.get("version")) or ""
    kind, key = _group_key(signature, keys)
    coarse = text_or_none(keys.get("coarse")) or ""
    exact, strict = text_or_none(keys.get("exact")) or "", text_or_none(keys.get("strict")) or ""
    line = text_or_none(lines.get(kind)) or text_or_none(lines.get("coarse"))
    category = text_or_none(signature.get("category")) or _category_of_line(line)
    return (
        (version, kind, key, coarse) if key or coarse else None,
        {"category": category, "text": line},
        (version, exact, strict) if exact or strict else None,
        text_or_none(lines.get("strict")) or text_or_none(lines.get("exact")),
    )


def _host_name(record: Mapping[str, Any], host: Mapping[str, Any]) -> str:
    """Return the name of the machine; a pod, whose name some collectors write, is on its node."""
    name = text_or_none(host.get("hostname")) or ""
    if not isinstance(container := record.get("container"), dict):
        return name
    is_pod = (
        name == (text_or_none(container.get("pod")) or "") or host.get("hostname_source") == PATTERN
    )
    return (text_or_none(container.get("node")) or name) if is_pod else name


def _crash_values(
    record: Mapping[str, Any], core_key: str, received: float | None
) -> tuple[Any, ...]:
    """The values of the columns CRASH. A group that is absent, as most are, costs one look."""
    ts = ts_source = claimed = boot_id = exe = signo = si_code = cpu_no = python = kernel = None
    verdict = confidence = bitflip = lock_inherited = None
    get = record.get
    if isinstance(time := get("time"), dict):
        ts_source = text_or_none(time.get("ts_source"))
        written = time.get("crash_ts")
        moment, has_zone = claimed_time(written)
        if not has_zone:
            ts_source = NO_ZONE
        elif moment is None and written is not None:
            ts_source = UNREADABLE
        ts, claimed = judge_time(moment, ts_source, received)
    if isinstance(host := get("host"), dict):
        boot_id = text_or_none(host.get("boot_id"))
    if isinstance(process := get("process"), dict):
        exe = text_or_none(process.get("executable"))
    if isinstance(signal := get("signal"), dict):
        signo, si_code = (int32_or_none(signal.get("signo")), int32_or_none(signal.get("si_code")))
    if isinstance(cpu := get("cpu"), dict):
        cpu_no = int32_or_none(cpu.get("number"))
    if isinstance(interpreter := get("python"), dict):
        python = text_or_none(interpreter.get("version"))
    if isinstance(system := get("kernel"), dict):
        kernel = text_or_none(system.get("release")) or text_or_none(system.get("version"))
    if isinstance(judged := get("verdict"), dict):
        verdict, confidence = counted_label(judged), number_or_none(judged.get("confidence"))
    if isinstance(flags := get("flags"), dict):
        bitflip, lock_inherited = (
            _flag_or_none(flags.get("bitflip")),
            _flag_or_none(flags.get("lock_inherited")),
        )
    if isinstance(truncated := get("truncated"), dict):
        truncated = truncated.get("flag")
    return (
        core_key, ts, ts_source, boot_id, exe, signo, si_code, cpu_no, python, kernel, verdict,
        confidence, bitflip, flipped_bit_number(record), lock_inherited, _flag_or_none(truncated),
        record_quality(record), str(record["schema"]), _tool_version(record), claimed, received,
        hash_identifying_death(record),
    )  # fmt: skip


def _tool_version(record: Mapping[str, Any]) -> str | None:
    tool = record.get("tool")
    return text_or_none(tool.get("version") if isinstance(tool, dict) else tool)


def _time_rank(record: Mapping[str, Any]) -> int:
    """The file time, which a copy changes, and one without a zone are the weakest."""
    time = get_group(record, "time")
    seconds, has_zone = claimed_time(time.get("crash_ts"))
    if seconds is None:
        return 0
    return 1 if time.get("ts_source") == FILE_DATE or not has_zone else 2


def group_key(record: Mapping[str, Any]) -> tuple[str, str]:
    """Return (kind, key) of the group that a record falls in; two empty texts without one."""
    signature = get_group(record, "signature")
    return _group_key(signature, get_group(signature, "keys"))


def _group_key(signature: Mapping[str, Any], keys: Mapping[str, Any]) -> tuple[str, str]:
    """The key that groups this crash, and its kind: stable unless the record says otherwise."""
    chosen = get_group(signature, "group")
    kind, value = text_or_none(chosen.get("key")), text_or_none(chosen.get("value"))
    if kind and value:
        return kind, value
    stable = text_or_none(keys.get("stable"))
    return ("stable", stable) if stable else ("", "")


def _category_of_line(line: str | None) -> str | None:
    """The third word of `gsig/2 stable CATEGORY frame <- ...`."""
    words = (line or "").split(" ", 3)
    return words[2] if len(words) > 2 and words[0].startswith("gsig/") else None


def _library_rows(libs: list[Any]) -> _Libs:
    libraries = set()
    for lib in libs[:MAX_LIBS]:
        if isinstance(lib, dict):
            name = text_or_none(lib.get("soname")) or text_or_none(lib.get("name")) or ""
            note = get_group(lib, "package")
            version = text_or_none(lib.get("version")) or text_or_none(note.get("version")) or ""
            libraries.add((name, text_or_none(lib.get("build_id")) or "", version))
    return tuple(sorted(libraries))


def _package_rows(packages: list[Any]) -> _Libs:
    """Python packages, beside the libraries: names of ELF files have no colon before them."""
    some = [p for p in packages[:MAX_PACKAGES] if isinstance(p, dict)]
    named = {
        (text_or_none(package.get("name")), text_or_none(package.get("version")))
        for package in some
    }
    return tuple(
        sorted((f"{PACKAGE}{name}", "", version) for name, version in named if name and version)
    )


def _libset_hash(record: Mapping[str, Any], libs: _Libs) -> str | None:
    """The hash covers what is stored here, so two records with one hash have one set."""
    if not libs:
        return text_or_none(get_group(record, "libs").get("libset")) or text_or_none(
            record.get("libset")
        )
    return hash_of_set(libs)


def hash_of_set(rows: Sequence[tuple[str, ...]]) -> str:
    """Return the hash that names one set of libraries or attributes, 32 hex digits."""
    return hashlib.sha256(json.dumps(rows).encode("ascii")).hexdigest()[:32]
