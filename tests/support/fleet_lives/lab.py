# SPDX-License-Identifier: Apache-2.0
"""A fleet in the making: hosts, crashes as full records, host-hours; written as JSONL and CSV."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import json
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

LAST = dt.date(2026, 11, 20)
DAY = 86_400
SERVICES = ("api", "ranker", "etl", "search", "batch")
FUNCTIONS = (
    "memcpy_impl", "parse_header", "resolve_key", "update_index", "decode_chunk", "apply_patch",
    "conv2d_forward", "flush_queue", "read_page", "hash_lookup", "merge_sorted", "scatter_add",
    "intern_str", "walk_tree", "copy_slice", "send_frame", "poll_ready", "unpack_msg", "lock_shard",
    "gather_rows", "build_plan", "evict_lru", "reduce_sum", "encode_utf8", "open_segment",
    "map_region", "sync_ranks", "seek_block", "next_token", "rebalance", "compress_block",
    "inflate_block", "verify_crc", "rotate_key",
)  # fmt: skip
SIGNALS = {11: "SIGSEGV", 6: "SIGABRT", 4: "SIGILL", 7: "SIGBUS"}
PACKAGES = {"numpy": "2.1.3", "requests": "2.32.3"}


class Bug(NamedTuple):
    """A software bug: one signature."""

    function: str
    service: str
    category: str = "segv-wild"
    signo: int = 11
    verdict: str = "software"


def digest(text: str, size: int = 16) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:size]


def nothing_more(_day: int, _host: str) -> dict[str, str]:
    return {}


class Fleet:
    """Hosts and crashes over some days; the last one is LAST."""

    def __init__(self, name: str, seed: int, days: int) -> None:
        self.random = random.Random(seed)
        self.name = name
        self.days = [LAST - dt.timedelta(days=days - 1 - i) for i in range(days)]
        self.hosts: dict[str, dict[str, Any]] = {}
        self.records: list[tuple[float, dict[str, Any]]] = []  # when it happened, the record

    def add_hosts(
        self,
        number: int,
        pattern: str,
        *,
        racks: int = 10,
        models: Sequence[str] = ("SYS-2049", "R7525"),
        by_rack: bool = True,
        kernels: Sequence[str] = ("6.1.0-25-amd64",),
        cpus: Sequence[int] = (64,),
    ) -> None:
        for i in range(1, number + 1):
            model = models[i * len(models) // (number + 1)] if by_rack else None
            model = model or self.random.choice(list(models))
            name = pattern.format(i)
            is_intel = model.startswith("SYS")
            self.hosts[name] = {
                "rack": f"r{(i - 1) * racks // number + 1:02d}",
                "model": model,
                "kernel": kernels[i % len(kernels)],
                "microcode": "0x2b000590" if is_intel else "0xa0011d1",
                "bios_version": "1.8" if is_intel else "2.12.4",
                "cpus": cpus[i % len(cpus)],
                "machine_id": digest(f"{self.name} {name}", 32),
            }

    def poisson(self, mean: float) -> int:
        if mean > 30:
            return max(0, round(self.random.gauss(mean, mean**0.5)))
        limit, count, product = math.exp(-mean), 0, self.random.random()
        while product > limit:
            count += 1
            product *= self.random.random()
        return count

    def crash(
        self,
        day: int,
        host: str,
        bug: Bug,
        *,
        hour: float | None = None,
        image: str | None = None,
        kernel: str | None = None,
        packages: Mapping[str, str] | None = None,
        attributes: Mapping[str, Any] | None = None,
        unit: str | None = None,
        cpu: int | None = None,
        damage: bool = False,
        program: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Add one record and return it. `day` counts from the first one of the fleet."""
        rng, facts = self.random, {**self.hosts.get(host, {}), **(attributes or {})}
        begin = dt.datetime.combine(self.days[day], dt.time(), dt.timezone.utc).timestamp()
        ts = begin + (rng.random() * DAY if hour is None else hour * 3600 + rng.random() * 1200)
        tid = rng.randrange(1000, 4_000_000)
        verdict, flipped = self._judged(bug, damage=damage)
        is_known = verdict != "cannot-tell"
        confidence = round(0.7 + 0.25 * rng.random(), 3) if is_known else 0
        address = f"0x{rng.getrandbits(46):016x}"
        number = rng.randrange(facts.get("cpus", 64)) if cpu is None else cpu
        record = _record(self.name, len(self.records), bug, facts, image or f"{bug.service}:1.0")
        record["process"] |= {"tid": tid, "pid": tid, **(program or {})}
        record["signal"]["fault_address"] = address
        record["python"]["packages"] = [
            {"name": name, "version": version, "source": "metadata"}
            for name, version in sorted((packages or PACKAGES).items())
        ]
        record["verdict"] |= {"label": verdict, "confidence": confidence}
        record["verdict"]["damage"]["found"] = record["flags"]["bitflip"] = flipped
        record["corruption"]["word"] = "strong" if flipped else "none"
        record["cpu"]["number"] = number
        record["host"] |= {"hostname": host, "boot_id": digest(f"{host} boot", 32)}
        record["kernel"]["release"] = kernel or facts.get("kernel", "6.1.0-25-amd64")
        record["time"] = {"crash_ts": round(ts, 3), "ts_source": "journal"}
        if unit:
            record["job"] = {"unit": unit, "environment": {}, "source": "journal"}
        self.records.append((ts, record))
        return record

    def _judged(self, bug: Bug, *, damage: bool) -> tuple[str, bool]:
        draw = self.random.random()
        if not damage:
            return ("cannot-tell" if draw < 0.35 else bug.verdict), False
        if draw < 0.35:
            return "damaged-memory", True
        return ("hardware-suspect", True) if draw < 0.45 else ("cannot-tell", False)

    def background(
        self,
        rate: float,
        *,
        bugs: int = 14,
        services: Sequence[str] = SERVICES,
        placement: Mapping[str, Sequence[str]] | None = None,
        disperse: float = 0.0,
        weekly: Sequence[float] | None = None,
    ) -> list[Bug]:
        """Add everyday software bugs: some frequent, many rare, on hosts at random."""
        rng = self.random
        made = [
            Bug(
                f"{FUNCTIONS[(i * 7 + len(self.name)) % len(FUNCTIONS)]}_{i}",
                services[i % len(services)],
                rng.choice(["segv-null", "segv-wild", "abort", "segv-wild"]),
                rng.choice([11, 11, 6]),
            )
            for i in range(bugs)
        ]
        weights = [1 / (i + 1.5) for i in range(bugs)]
        for day, date in enumerate(self.days):
            mean = rate * (weekly[date.weekday()] if weekly else 1.0)
            if disperse:
                mean *= rng.gammavariate(1 / disperse, disperse)
            for _ in range(self.poisson(mean)):
                bug = rng.choices(made, weights)[0]
                self.crash(day, rng.choice([*(placement or {}).get(bug.service, self.hosts)]), bug)
        return made

    def damaged(self, day: int, host: str, **more: Any) -> dict[str, Any]:
        """Add a crash that broken memory makes: anywhere in the code."""
        rng = self.random
        bug = Bug(
            f"{rng.choice(FUNCTIONS)}_{rng.randrange(40)}",
            more.pop("service", None) or rng.choice(SERVICES),
            rng.choice(["segv-wild", "segv-wild", "illegal-instruction", "abort"]),
            rng.choice([11, 11, 11, 4]),
            "cannot-tell",
        )
        return self.crash(day, host, bug, damage=True, **more)

    def each(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the day and the record of each crash so far."""
        for ts, record in self.records:
            yield (
                (dt.datetime.fromtimestamp(ts, dt.timezone.utc).date() - self.days[0]).days,
                record,
            )

    def write(
        self,
        folder: Path,
        *,
        columns: Sequence[str] = ("rack", "model", "kernel"),
        hours: Callable[[int, str], float | None] | None = lambda _day, _host: 24,
        spell: Callable[[str, int], str] = lambda host, _day: host,
        attributes: Callable[[int, str], Mapping[str, Any]] = nothing_more,
    ) -> None:
        """Write records.jsonl and, unless `hours` is None, hours.csv."""
        folder.mkdir(parents=True, exist_ok=True)
        in_order = sorted(self.records, key=lambda pair: pair[0])
        lines = [json.dumps(record) for _, record in in_order]
        (folder / "records.jsonl").write_text("\n".join(lines) + "\n")
        if hours is None:
            return
        with (folder / "hours.csv").open("w", newline="") as out:
            sheet = csv.writer(out)
            sheet.writerow(["day", "hours", "host", *columns])
            sheet.writerows(self._host_days(columns, hours, spell, attributes))

    def _host_days(
        self, columns: Sequence[str], hours: Any, spell: Any, attributes: Any
    ) -> Iterable[list[Any]]:
        for index, day in enumerate(self.days):
            for host, facts in self.hosts.items():
                if number := hours(index, host):
                    row = {**facts, **attributes(index, host)}
                    cells = [row.get(column) for column in columns]
                    yield [day.isoformat(), number, spell(host, index), *cells]


def _record(
    fleet: str, number: int, bug: Bug, facts: Mapping[str, Any], image: str
) -> dict[str, Any]:
    key = digest(f"{fleet} {number}", 32)
    stable = digest(f"{bug.function}|{bug.service}|{bug.category}")
    run = f"run_{bug.function}"
    frames = [
        {
            "language": "native", "function": bug.function, "module": "libcore.so.1",
            "build_id": digest(f"lib {image}", 40), "offset": 4096, "pc": "0x00007f3cf8170ae2",
            "sp": "0x00007ffcf8170ae0",
        },
        {
            "name": run, "filename": f"/srv/{bug.service}/work.py", "lineno": 120,
            "module": bug.service,
        },
        {
            "name": "<module>", "filename": f"/srv/{bug.service}/main.py", "lineno": 10,
            "module": "__main__",
        },
    ]  # fmt: skip
    names = f"{bug.category} {bug.function} <- {bug.service}.{run} <- __main__.<module>"
    is_intel = str(facts.get("model", "SYS")).startswith("SYS")
    host = {name: facts.get(name) for name in ("rack", "model", "microcode", "bios_version")}
    return {
        "schema": "gdb-epi/record/1",
        "tool": "gdb-epi 0.4.0",
        "core_key": key,
        "truncated": {"flag": False, "reason": "", "missing_bytes": 0},
        "quality": {"unwinder": 1.0, "symbols": 1.0},
        "signal": {
            "signo": bug.signo, "name": SIGNALS[bug.signo], "si_code": 1, "si_errno": 0,
            "sender_pid": None, "sender_uid": None, "sender": "kernel",
        },
        "process": {
            "ppid": 1, "uid": 1000, "comm": bug.service[:15], "script": "main.py",
            "started_as": "script", "executable": "/usr/bin/python3.12",
            "build_id": digest("python 3.12.8", 40),
        },
        "python": {
            "version": "3.12.8", "free_threaded": False, "found_by": "cookie",
            "finalizing": False, "gil_holder": None, "interpreters": 1, "threads": 4,
        },
        "threads": {
            "count": 4, "tids": [], "python": 4, "without_process": 0, "waiting_in_locks": 1,
            "stacks": [],
            "crashed": {"tid": 1, "name": "MainThread", "native": "present", "frames": frames},
        },
        "corruption": {"llr": 0.0, "path": "unknown", "symptom": "wild-read", "candidates": []},
        "findings": [],
        "verdict": {"model": 2, "reasons": [], "damage": {"judged": True}, "cause": []},
        "signature": {
            "version": "gsig/2", "category": bug.category, "evidence": "",
            "keys": {
                "core_key": key, "exact": digest(f"exact {stable} {image}"), "stable": stable,
                "native": digest(f"native {stable}"), "python": digest(f"python {stable}"),
                "strict": digest(f"strict {stable}"), "coarse": digest(f"coarse {stable}", 12),
            },
            "text": {"stable": f"gsig/2 stable {names}", "coarse": f"gsig/2 coarse {names}"},
            "absent": {}, "native": True, "quality": 1.0,
            "group": {"key": "stable", "value": stable},
        },
        "flags": {"bitflip": False, "lock_inherited": False},
        "facts": {"fault_kind": "data", "access": "r"},
        "cpu": {"source": "rseq", "numa_node": 0},
        "hardware": {
            "vendor": "intel" if is_intel else "amd", "family": 6 if is_intel else 25,
            "model": 143 if is_intel else 1, "stepping": 8, "hypervisor": False,
            "source": "cpuid",
        },
        "host": {
            "hostname_source": "journal", "machine_id": facts.get("machine_id"),
            "attributes": {**host, "cpu_count": facts.get("cpus", 64)},
        },
        "kernel": {"version": "6.1.0", "source": "vdso"},
        "container": {
            "runtime": "containerd", "image": f"registry/{image}", "namespace": "prod"
        },
        "redaction": [], "soft_errors": [], "sidecars": [],
    }  # fmt: skip
