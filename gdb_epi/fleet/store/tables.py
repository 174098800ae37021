# SPDX-License-Identifier: Apache-2.0
"""The tables of the fleet database: a star with one row per core, never aggregated.

The JSON record in `raw` is the source of truth; every other table is a projection of it, so a
later version can rebuild them. Absent texts that are part of a unique key are "" and not NULL,
because NULLs never conflict in SQL.
"""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
)

metadata = MetaData()
views = MetaData()  # what is computed from the tables; create_all must not make tables of them

# SQLite gives row ids to INTEGER only, PostgreSQL should count in 64 bits.
_ID = BigInteger().with_variant(Integer(), "sqlite")


def _id_column() -> Column[int]:
    return Column("id", _ID, primary_key=True, autoincrement=True)


def _text_key_column(name: str) -> Column[str]:
    return Column(name, Text, nullable=False, server_default="")


meta = Table(
    "meta", metadata, Column("key", Text, primary_key=True), Column("value", Text, nullable=False)
)

sig = Table(
    "sig",
    metadata,
    _id_column(),
    _text_key_column("version"),
    _text_key_column(
        "kind"
    ),  # which key groups these crashes: stable, or python where native was absent
    _text_key_column("key"),
    _text_key_column("coarse"),
    Column("category", Text),
    Column("text", Text),
    UniqueConstraint("version", "kind", "key", "coarse"),
    Index("sig_coarse", "coarse"),
)

trace = Table(
    "trace",
    metadata,
    _id_column(),
    _text_key_column("version"),
    _text_key_column("exact"),
    _text_key_column("strict"),
    Column("frames", Text),  # JSON, once per distinct trace
    UniqueConstraint("version", "exact", "strict"),
)

host = Table(
    "host",
    metadata,
    _id_column(),
    _text_key_column("name"),
    _text_key_column("machine_id"),
    UniqueConstraint("name", "machine_id"),
)

lib = Table(
    "lib",
    metadata,
    _id_column(),
    _text_key_column("soname"),
    _text_key_column("build_id"),
    _text_key_column("version"),
    UniqueConstraint("soname", "build_id", "version"),
)

libset = Table("libset", metadata, _id_column(), Column("hash", Text, nullable=False, unique=True))

libset_lib = Table(
    "libset_lib",
    metadata,
    Column("libset_id", _ID, ForeignKey("libset.id"), primary_key=True),
    Column("lib_id", _ID, ForeignKey("lib.id"), primary_key=True),
)

# One row per distinct set of attributes, as `libset` is for libraries: the values that a host had
# on one day, so that a roll-out does not move older crashes to the new version.
attrset = Table(
    "attrset", metadata, _id_column(), Column("hash", Text, nullable=False, unique=True)
)

attrset_value = Table(
    "attrset_value",
    metadata,
    Column("attrset_id", _ID, ForeignKey("attrset.id"), primary_key=True),
    Column("attr", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

exposure = Table(
    "exposure",
    metadata,
    Column("host_id", _ID, ForeignKey("host.id"), primary_key=True),
    Column("day", Integer, primary_key=True),  # days since 1970-01-01, UTC
    Column("attrset_id", _ID, ForeignKey("attrset.id"), primary_key=True),
    Column("hours", Float, nullable=False),
    Index("exposure_day", "day"),
)

finding = Table(
    "finding",
    metadata,
    _id_column(),
    Column("day", Integer, nullable=False),  # first raised, days since 1970-01-01
    _text_key_column("attr"),
    _text_key_column("value"),
    _text_key_column("signature"),
    Column("n", Integer, nullable=False),
    Column("rr", Float),
    Column("p", Float),
    Column("q", Float),
    Column("detail", Text),  # JSON
    # open, confirmed, dismissed, repaired
    Column("state", Text, nullable=False, server_default="open"),
    Column("note", Text),
    Column("decided_at", Float),  # seconds since the epoch; when state was last set by a person
    Column("decided_n", Integer),  # the evidence at that time: more may raise it again
    Column("decided_p", Float),
    Column("raised", Integer, nullable=False, server_default="1"),  # times
    UniqueConstraint("attr", "value", "signature"),
)

# No foreign keys here and in `raw`: they were half of what PostgreSQL did for an ingest. In their
# place: an id comes from a row that the same transaction read or made, or an earlier one that was
# committed (dimensions.Dimensions); who deletes rows of a dimension says so to all writers
# (transactions.invalidate_dimension_ids); `reproject` makes all ids anew from `raw`; tests look for
# ids that lead nowhere after kills and between several writers.
crash = Table(
    "crash",
    metadata,
    _id_column(),
    Column("core_key", Text, nullable=False, unique=True),
    Column("ts", Float),  # seconds since the epoch; NULL: not known, or it cannot be true
    Column("ts_source", Text),
    Column("host_id", _ID),
    Column("sig_id", _ID),
    Column("trace_id", _ID),
    Column("libset_id", _ID),
    Column("attrset_id", _ID),
    Column("factset_id", _ID),  # facts of the core itself, as a set
    Column("boot_id", Text),
    Column("exe", Text),
    Column("signo", Integer),
    Column("si_code", Integer),
    Column("cpu_no", Integer),
    Column("python", Text),
    Column("kernel", Text),
    Column("verdict", Text),
    Column("confidence", Float),
    Column("bitflip", Boolean),
    Column("flip_bit", Integer),  # 0..63, of a possible bit flip
    Column("lock_inherited", Boolean),
    Column("truncated", Boolean),
    Column("quality", Float, nullable=False, server_default="0"),
    Column("schema_v", Text),
    Column("tool_v", Text),
    Column("ts_claimed", Float),  # a time that was set aside (store/times.py)
    Column("received", Float),  # when the first record of this core came, at the latest
    Column("death", Integer),  # a hash of boot, pid and fault address: two records of one share it
    Index("crash_sig", "sig_id", "host_id", "ts", "verdict"),  # covers top, show, seen
    Index("crash_ts", "ts", "sig_id", "host_id"),
    Index("crash_host", "host_id", "ts"),
)

raw = Table(
    "raw",
    metadata,
    Column("crash_id", _ID, primary_key=True, autoincrement=False),
    Column("record", LargeBinary, nullable=False),  # zlib of the JSON text
)

# What people (and the daily screening) said about a signature, a host or a finding: one row each
# time, none is changed, so the history is the table and the state of today its last row.
mark = Table(
    "mark",
    metadata,
    _id_column(),
    Column("at", Float, nullable=False),  # seconds since the epoch
    _text_key_column("who"),
    _text_key_column("about"),  # signature, host, finding
    _text_key_column("kind"),  # of a signature's key: stable, python ...
    _text_key_column("name"),  # the key of a signature, the name of a host, the key of a finding
    _text_key_column("state"),
    Column("version", Text),  # fixed in it, or crashed again on it
    Column("version_of", Text),  # which attribute or package has that version
    Column("owner", Text),
    Column("ticket", Text),
    Column("note", Text),
    Column("until", Float),  # seconds since the epoch: ignored until then
    Index("mark_about", "about", "kind", "name"),
)

# What was sent where, so that nothing is told twice.
notice = Table(
    "notice",
    metadata,
    _id_column(),
    Column("at", Float, nullable=False),
    _text_key_column("channel"),  # a hash of the address: it may hold a secret
    _text_key_column("subject"),
    UniqueConstraint("channel", "subject"),
)

# When a host was seen with which value. Up to schema 2 a table, which cost more than the crash.
host_attr = Table(
    "host_attr",
    views,
    Column("host_id", _ID),
    Column("attr", Text),
    Column("value", Text),
    Column("from_ts", Float),  # first and last crash that saw this value
    Column("to_ts", Float),
)
HOST_ATTR_VIEW = DDL(  # type: ignore[no-untyped-call]
    "CREATE VIEW host_attr AS SELECT c.host_id, v.attr, v.value, min(c.ts) AS from_ts,"
    " max(c.ts) AS to_ts FROM crash c JOIN attrset_value v ON v.attrset_id = c.attrset_id"
    " WHERE c.host_id IS NOT NULL GROUP BY c.host_id, v.attr, v.value"
)
event.listen(metadata, "after_create", HOST_ATTR_VIEW)

# One row per transaction that changed crashes or exposure: (count, last id) names a state of the
# database, so that a cache knows when it is old. No shared counter: writers would queue for it.
change = Table("change", metadata, _id_column(), Column("at", Float, nullable=False))

# Which files a triage has read, so that a run that was stopped goes on: nothing of it is exported.
examined = Table(
    "examined",
    metadata,
    Column("key", Text, primary_key=True),  # a hash of the file, the tool and the options
    Column("core_key", Text, nullable=False),
    Column("at", Float, nullable=False),  # seconds since the epoch
    Index("examined_core", "core_key"),
)

ingest_log = Table(
    "ingest_log",
    metadata,
    _id_column(),
    Column("at", Float, nullable=False),
    Column("source", Text),
    Column("core_key", Text),
    Column("status", Text, nullable=False),  # rejected; done lines are not logged one by one
    Column("error", Text),
)
