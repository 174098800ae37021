# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi resign`: make stored signatures anew from stored frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from gdb_epi.errors import EXIT_DONE, UsageError
from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from gdb_epi.resign.stored import Resigned

HELP = "make stored signatures anew from stored frames, without the cores"
EPILOG = (
    "For a new version of the signature: keys of two versions are never compared. Without --apply "
    "nothing is written. The older signature stays in the record (signature.previous). A second "
    "run changes nothing. Exit code: 0 done, 1 a database could not be used, 2 wrong arguments, "
    "3 a file was unusable."
)
SHOWN = 20  # groups that change, in the text


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="records as JSON; without any the database")
    add("--db", metavar="URL", help="database URL or SQLite file")
    add("--apply", action="store_true", help="write what changes")
    add("--json", action="store_true", help="print one JSON object")


def run(args: Namespace) -> int:
    """Resign and say what changes."""
    from gdb_epi.resign.files import resign_database, resign_file

    if args.files and args.db is not None:
        raise UsageError("--db and files at once", hint="one of the two")
    told = Told()
    for name in args.files:
        resign_file(name, told.seen, apply=args.apply)
    if not args.files:
        from gdb_epi.fleet.store.db import open_database

        with open_database(args.db, write=args.apply, make=False) as engine:
            resign_database(engine, told.seen, apply=args.apply)
    told.show(applied=args.apply, as_json=args.json)
    return EXIT_DONE


class Told:
    """Counts what is seen."""

    def __init__(self) -> None:
        self.records = 0
        self.changed = 0
        self.keys: Counter[str] = Counter()
        self.groups: Counter[tuple[str, str]] = Counter()
        self.unable: Counter[tuple[str, str]] = Counter()

    def seen(self, record: Mapping[str, Any], found: Resigned) -> None:
        """Take the outcome of one record."""
        self.records += 1
        self.unable.update(found.unable.items())
        if found.signature is None:
            return
        self.changed += 1
        self.keys.update(found.changed)
        before, after = (_group_line(s) for s in (record.get("signature"), found.signature))
        if before != after:
            self.groups[before, after] += 1

    def show(self, *, applied: bool, as_json: bool) -> None:
        """Print it."""
        from gdb_epi.render.text import escape

        if as_json:
            import json

            print(json.dumps(self.document(applied=applied)))
            return
        for line in self.lines(applied=applied):
            print(escape(line))

    def document(self, *, applied: bool) -> dict[str, Any]:
        """Return it as JSON values."""
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
                for (a, b), n in sorted(self.groups.items(), key=lambda item: (-item[1], item[0]))
            ],
            "unable": [
                {"key": name, "why": why, "records": n}
                for (name, why), n in sorted(self.unable.items())
            ],
        }

    def lines(self, *, applied: bool) -> list[str]:
        """Return it as text."""
        from gdb_epi.util import counted

        verb = "changed" if applied else "would change"
        found = [f"{counted(self.records, 'record')}: {self.changed} {verb}"]
        if self.keys:
            found.append("keys: " + ", ".join(f"{n} {count}" for n, count in self.keys.items()))
        for (before, after), count in self.groups.most_common(SHOWN):
            found += [f"{counted(count, 'record')}:", f"  - {before}", f"  + {after}"]
        if len(self.groups) > SHOWN:
            found.append(f"... and {len(self.groups) - SHOWN} other groups (--json has all)")
        for (name, why), count in self.unable.most_common(SHOWN):
            found.append(f"not from stored frames: {name} of {counted(count, 'record')}: {why}")
        if self.changed and not applied:
            found.append("nothing was written; --apply writes it")
        return found


def _group_line(signature: Any) -> str:
    """Return the line of the key that groups a record."""
    given = signature if isinstance(signature, dict) else {}
    group, text = given.get("group"), given.get("text")
    name = group.get("key") if isinstance(group, dict) else "stable"
    line = text.get(name) if isinstance(text, dict) else None
    return str(line or "no group")
