# SPDX-License-Identifier: Apache-2.0
"""A fleet database to look at: the simulated fleet, its records dressed as those of real cores.

python tests/support/demo_fleet.py DATABASE [--crashes 1000000]

Names, stacks, verdicts and the bits that flipped are made up from the simulator's truth; the
counts, times and attributes are its own.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from gdb_epi.render.signature_words import hash_signature_line
from support.fleet_simulator import Fleet, records, simulate, write_exposure

CATEGORIES = (
    "segv-null", "segv-wild", "abort-assert", "segv-near-null", "bus-adrerr",
    "abort-malloc:double-free",
)  # fmt: skip
NATIVE = (
    "at::native::index_select_out_cpu_", "c10::StorageImpl::release_resources", "ucp_ep_create",
    "ncclProxyProgress", "PyArray_CopyInto", "arrow::Buffer::CopySlice", "grpc_chttp2_transport",
    "torch::autograd::Engine::evaluate_function", "uv__stream_io", "ZSTD_decompressBlock_internal",
    "rocksdb::BlockBasedTable::Get", "simdjson::parse", "_Ux86_64_setcontext", "je_arena_dalloc",
)  # fmt: skip
PYTHON = (
    "trainer.step", "loader.Batch.collate", "serving.Handler.reply", "checkpoint.save_shard",
    "queue_worker.run_forever", "metrics.publish", "tokenizer.encode_batch", "cache.Shard.evict",
)  # fmt: skip
COMMON_SIGNATURES = 280  # so that a large fleet has hundreds of signatures, not one for each crash
BAD_BITS = (41, 41, 41, 41, 37, 45)  # of the bad host; flips elsewhere hit any bit


def dressed(fleet: Fleet, *, few_signatures: bool) -> Iterator[dict[str, Any]]:
    """Yield a record of every crash."""
    for crash, record in zip(fleet.crashes, records(fleet), strict=True):
        name = crash.signature
        if few_signatures and name.startswith("new"):
            name = f"n{int(name[3:], 16) % COMMON_SIGNATURES}"
        yield _dress(record, name, crash.cause, crash.bitflip)


def _dress(record: dict[str, Any], name: str, cause: str, flip: bool) -> dict[str, Any]:
    pick = zlib.crc32(name.encode())
    category = CATEGORIES[pick % len(CATEGORIES)]
    native = NATIVE[pick // 7 % len(NATIVE)], NATIVE[pick // 11 % len(NATIVE)]
    python = PYTHON[pick // 13 % len(PYTHON)], PYTHON[pick // 17 % len(PYTHON)]
    inner = f"{native[0]}_{name}"
    line = f"{category} {inner} <- {native[1]} <-- py:{python[0]} <- py:{python[1]}"
    text = f"gsig/2 stable {line}"
    number = int(record["core_key"], 16)
    record["core_key"] = f"{number * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << 128):032x}"
    record["signature"] |= {
        "keys": {"stable": hash_signature_line(text), "python": f"{pick // 13:016x}"},
        "text": {"stable": text},
        "category": category,
        "evidence": "the fault address is not mapped" if "segv" in category else "an abort message",
    }
    record["verdict"] = _verdict(flip, cause)
    record["threads"] = {"crashed": {"frames": _frames((inner, native[1]), python, pick)}}
    if flip:
        bad = cause == "bad_host"
        bit = BAD_BITS[number % len(BAD_BITS)] if bad else 3 + number * 31 % 45
        record["corruption"] = {"candidates": [{"where": "rdx", "bits": [bit]}]}
        what = f"the pointer in rdx is one bit (bit {bit}) from a living object"
        record["findings"] = [{"detector": "pointer_one_bit_off", "summary": what}]
    return record


def _verdict(flip: bool, cause: str) -> dict[str, Any]:
    if flip:
        against = ["who damaged it one core cannot tell"]
        return {
            "model": 2,
            "label": "damaged-memory",
            "word": "almost certain",
            "confidence": 0.96,
            "against": against,
        }
    word = "not known" if cause == "bad_host" else "probable"
    label = "cannot-tell" if cause == "bad_host" else "software"
    return {"model": 2, "label": label, "word": word}


def _frames(native: tuple[str, str], python: tuple[str, str], pick: int) -> list[dict[str, Any]]:
    frames: list[dict[str, Any]] = [
        {"language": "native", "function": f, "module": "libtorch_cpu.so", "filename": "native.cpp",
         "lineno": pick % 900} for f in native
    ]  # fmt: skip
    frames.append(
        {"language": "native", "function": "_PyEval_EvalFrameDefault", "eval_loop": True,
         "module": "libpython3.13.so.1.0", "filename": "Python/ceval.c", "lineno": 2898}
    )  # fmt: skip
    for f in (*python, "__main__.main"):
        module, name = f.split(".", 1)
        place = {"filename": f"/srv/app/{module}.py", "lineno": pick % 300}
        frames.append({"language": "python", "qualname": name, **place})
    return frames


def make(database: str, fleet: Fleet, *, few_signatures: bool = False) -> None:
    """Fill a database with a fleet and its host-hours."""
    from gdb_epi.fleet.store.database import open_database
    from gdb_epi.fleet.store.exposure import read_host_days, store_exposure
    from gdb_epi.fleet.store.ingest import ingest

    with tempfile.TemporaryDirectory() as folder, open_database(database, write=True) as engine:
        hours = Path(folder) / "hours.csv"
        write_exposure(fleet, hours)
        ingest(engine, (("demo", r) for r in dressed(fleet, few_signatures=few_signatures)))
        store_exposure(engine, read_host_days(hours))


def main() -> None:
    """Make the database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database")
    parser.add_argument("--crashes", type=int, default=1500)
    parser.add_argument("--hosts", type=int, default=400)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--seed", type=int, default=7003)
    args = parser.parse_args()
    causes = {"bad_host": 1.2, "race": 2.0, "split": 2.5}
    per_day = args.crashes / args.days
    sizes = {"hosts": args.hosts, "days": args.days, "per_day": per_day}
    fleet = simulate(args.seed, **sizes, **causes)
    make(args.database, fleet, few_signatures=args.crashes > 10_000)


if __name__ == "__main__":
    main()
