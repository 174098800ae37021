# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi resign`: compute stored signatures and verdicts again, without the cores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gdb_epi.errors import UsageError
from gdb_epi.record.record_parts import get_group, grouping_key_line
from gdb_epi.typing_lite import TYPE_CHECKING, Any, ArgumentParser, Namespace

if TYPE_CHECKING:
    from gdb_epi.resign.signature import ResignedSignature
    from gdb_epi.resign.verdicts import RejudgedVerdict

GROUP = "Rarely"
HELP = "compute stored signatures and verdicts again, without the cores"
EPILOG = (
    "For a new version of the signature or a new model of the verdict: what two versions say is "
    "never compared. Without --apply nothing is written. The older signature and verdict stay in "
    "the record (signature.previous, verdict.previous). A second run changes nothing."
)
EXIT_CODES = "0 done, 1 a database could not be used, 2 wrong arguments, 3 a file was unusable"
SHOWN = 20  # groups that change, in the text


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="records as JSON; without any the database")
    add("--db", metavar="URL", help="database URL or SQLite file")
    add("--apply", action="store_true", help="write what changes")
    add("--json", action="store_true", help="print one JSON object")


def run(args: Namespace) -> None:
    """Resign and say what changes."""
    from gdb_epi.resign.files import resign_database, resign_file

    if args.files and args.db is not None:
        raise UsageError("--db and files at once", hint="one of the two")
    summary = ResignSummary()
    for name in args.files:
        resign_file(name, summary.count_record, apply=args.apply)
    if not args.files:
        from gdb_epi.fleet.store.database import open_database

        with open_database(args.db, write=args.apply, create=False) as engine:
            resign_database(engine, summary.count_record, apply=args.apply)
    summary.print_summary(applied=args.apply, as_json=args.json)


class ResignSummary:
    """Count what resigning changed, and what it could not do."""

    def __init__(self) -> None:
        self.records = 0
        self.changed = 0
        self.keys: Counter[str] = Counter()
        self.groups: Counter[tuple[str, str]] = Counter()
        self.unable: Counter[tuple[str, str]] = Counter()
        self.verdicts: Counter[tuple[str, str]] = Counter()
        self.not_judged: Counter[str] = Counter()

    def count_record(
        self, record: Mapping[str, Any], resigned: ResignedSignature, judged: RejudgedVerdict
    ) -> None:
        """Take the outcome of one record."""
        self.records += 1
        self.unable.update(resigned.unable.items())
        self.changed += resigned.signature is not None or judged.verdict is not None
        if judged.unable:
            self.not_judged[judged.unable] += 1
        if judged.verdict is not None:
            before = str(get_group(record, "verdict").get("label"))
            self.verdicts[before, judged.verdict["label"]] += 1
        if resigned.signature is None:
            return
        self.keys.update(resigned.changed)
        before = grouping_key_line(get_group(record, "signature")) or "no group"
        after = grouping_key_line(resigned.signature) or "no group"
        if before != after:
            self.groups[before, after] += 1

    def print_summary(self, *, applied: bool, as_json: bool) -> None:
        """Print it."""
        from gdb_epi.render.escape import escape

        if as_json:
            import json

            print(json.dumps(self.to_json(applied=applied)))
            return
        for line in self.text_lines(applied=applied):
            print(escape(line))

    def to_json(self, *, applied: bool) -> dict[str, Any]:
        """Return it as JSON values."""
        from gdb_epi.judgement.labels import MODEL
        from gdb_epi.signature.keys import VERSION

        return {
            "schema": "gdb-epi/resign/1",
            "version": VERSION,
            "applied": applied,
            "records": self.records,
            "changed": self.changed,
            "keys": dict(self.keys),
            "groups": [
                {"before": a, "after": b, "records": n}
                for (a, b), n in sorted(self.groups.items(), key=lambda row: (-row[1], row[0]))
            ],
            "model": MODEL,
            "verdicts": [
                {"before": a, "after": b, "records": n}
                for (a, b), n in sorted(self.verdicts.items(), key=lambda row: (-row[1], row[0]))
            ],
            "not_judged": [
                {"why": why, "records": n} for why, n in sorted(self.not_judged.items())
            ],
            "unable": [
                {"key": name, "why": why, "records": n}
                for (name, why), n in sorted(self.unable.items())
            ],
        }

    def text_lines(self, *, applied: bool) -> list[str]:
        """Return it as text."""
        from gdb_epi.util import counted, names_by_reason

        verb = "changed" if applied else "would change"
        lines = [f"{counted(self.records, 'record')}: {self.changed} {verb}"]
        if self.keys:
            lines.append("keys: " + ", ".join(f"{n} {count}" for n, count in self.keys.items()))
        for (before, after), count in self.groups.most_common(SHOWN):
            lines += [f"{counted(count, 'record')}:", f"  - {before}", f"  + {after}"]
        if len(self.groups) > SHOWN:
            lines.append(f"... and {len(self.groups) - SHOWN} other groups (--json has all)")
        unable = [
            (name, f"of {counted(count, 'record')}: {why}")
            for (name, why), count in self.unable.most_common(SHOWN)
        ]
        for why, names in names_by_reason(unable).items():
            lines.append(f"not from stored frames: {', '.join(names)} {why}")
        for (before, after), count in self.verdicts.most_common(SHOWN):
            lines.append(f"verdict of {counted(count, 'record')}: {before} -> {after}")
        for why, count in self.not_judged.most_common(SHOWN):
            lines.append(f"verdict kept of {counted(count, 'record')}: {why}")
        if self.changed and not applied:
            lines.append("nothing was written; --apply writes it")
        return lines
