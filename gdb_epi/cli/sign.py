# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi sign`: the signature of a crash that survives only as text."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import contextmanager

from gdb_epi.errors import EpiError, InputError, UsageError
from gdb_epi.typing_lite import TYPE_CHECKING, Any, ArgumentParser, BinaryIO, Namespace
from gdb_epi.util import pick_attributes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gdb_epi.textstacks.signing import TextSignature
    from gdb_epi.textstacks.text_crash import TextCrash

GROUP = "Rarely"
HELP = "sign a GDB backtrace or a faulthandler dump: text of crashes whose cores are gone"
EPILOG = (
    "Texts may hold many crashes, and anything else between them. A key is printed when the text "
    "tells all that it needs; otherwise it is absent with the reason. Where only the kind of crash "
    "is open, --category decides; --explain lists a key for each kind."
)
EXIT_CODES = "0 a crash was signed; 3 no crash in the text; 2 wrong arguments"
SCHEMA = "gdb-epi/text-signature/1"
MAX_FRAMES = 128  # frame names printed by --json
MAX_KINDS = 4  # of crashes whose keys are listed unasked
FIRST_KINDS = "segv-null (an address below 0x1000) or segv-wild (no memory is mapped there)"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("texts", nargs="*", default=["-"], metavar="FILE", help="files, or - for standard input")
    add("--category", metavar="NAME", help="the kind of crash, when you know it (segv-null ...)")
    add(
        "--python",
        type=_parse_python_minor,
        metavar="3.N",
        help="the version, when the text does not tell",
    )
    add("--sources", action="store_true", help="read qualified names from source files here")
    add("--json", action="store_true", help="one JSON object a crash, a line each")
    add("--explain", action="store_true", help="also the steps, and the names of all frames")


def run(args: Namespace) -> None:
    """Sign every crash of every text. Raises InputError when there is none."""
    from gdb_epi.cli.support.messages import write_to_stderr
    from gdb_epi.signature.categories.types import CATEGORIES
    from gdb_epi.textstacks.python_names import QualifiedNamesFromSource
    from gdb_epi.textstacks.reader import read_crashes
    from gdb_epi.textstacks.signing import sign_text

    if args.category is not None and args.category.split(":", 1)[0] not in CATEGORIES:
        raise UsageError(f"no category {args.category!r}", hint=", ".join(CATEGORIES))
    for name in args.texts:
        _require_file_that_ends(name)
        if name != "-" and _is_core(name):
            raise InputError(f"{name}: a core, not a text", hint=f"gdb-epi triage {name}")
    sources = QualifiedNamesFromSource() if args.sources else None
    count = 0
    for name in args.texts:
        notes: list[str] = []
        with _open_text_input(name) as stream:
            for dump in read_crashes(stream, notes):
                signature = sign_text(dump, args.category, sources, args.python)
                count += signature is not None
                _print_signature(name, dump, signature, args)
        for note in notes:
            write_to_stderr(f"{name}: {note}")
    if not count:
        raise InputError("no crash in the text", hint="a GDB backtrace or a faulthandler dump")


def _require_file_that_ends(name: str) -> None:
    """Refuse names that would block or never end; pipes opened by the shell are fine."""
    if name in ("-", "/dev/stdin") or name.startswith(("/dev/fd/", "/proc/self/fd/")):
        return
    try:
        mode = os.stat(name).st_mode
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}", hint="check the path") from None
    except ValueError:
        raise InputError(f"{name!r}: not a file name", hint="check the path") from None
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise InputError(f"{name}: not a regular file", hint=f"gdb-epi sign - < {name}")


def _is_core(name: str) -> bool:
    from gdb_epi.cli.support.core_files import core_at

    try:
        return bool(core_at(name))
    except EpiError:
        return False


def _parse_python_minor(word: str) -> int:
    """Read 3.12 or 3.12.1; return 12."""
    parts = word.split(".")
    if len(parts) not in (2, 3) or parts[0] != "3" or not all(p.isdigit() for p in parts):
        from argparse import ArgumentTypeError

        raise ArgumentTypeError("a version such as 3.12")
    return int(parts[1])


@contextmanager
def _open_text_input(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        with open(name, "rb") as stream:
            yield stream
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}", hint="check the path") from None


def _print_signature(
    name: str, dump: TextCrash, signature: TextSignature | None, args: Namespace
) -> None:
    if args.json:
        import json

        print(json.dumps(text_signature_json(name, dump, signature)))
        return
    from gdb_epi.render.escape import escape

    for line in _signature_lines(name, dump, signature, explain=args.explain):
        print(escape(line))


def text_signature_json(
    name: str, dump: TextCrash, signature: TextSignature | None
) -> dict[str, Any]:
    """Return one crash as JSON values."""
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "input": name,
        **pick_attributes(dump, "line", "source", "signal", "fatal"),
        "threads": len(dump.threads),
        "notes": list(dump.notes),
        "signature": None,
    }
    if signature is None:
        return fields
    from gdb_epi.signature.keys import VERSION

    fields["signature"] = {
        "version": VERSION,
        "category": signature.category,
        "possible": list(signature.possible),
        "thread": {"label": signature.label, "tid": signature.tid, "why": signature.thread_why},
        "keys": {key: made.value for key, made in signature.keys.items()},
        "text": {key: made.text for key, made in signature.keys.items()},
        "absent": dict(signature.absent),
        "candidates": {
            key: {category: {"key": made.value, "text": made.text} for category, made in of.items()}
            for key, of in signature.candidates.items()
        },
        "inferred": {
            key: list(why) for key, why in signature.inferred.items() if key in signature.keys
        },
        "steps": list(signature.steps),
        "frames": list(signature.frames[:MAX_FRAMES]),
    }
    return fields


def _signature_lines(
    name: str, dump: TextCrash, signature: TextSignature | None, *, explain: bool
) -> Iterator[str]:
    from gdb_epi.render.signature_words import why_keys_are_absent

    what = dump.fatal or dump.signal or "no signal named"
    yield f"{name}:{dump.line}: {dump.source}: {what}"
    if signature is None:
        yield "  no frame of it is in the text"
        return
    yield f"  thread {signature.label or signature.tid or '?'}: {signature.thread_why}"
    open_keys = signature.candidates
    if not open_keys:
        possible = ", ".join(signature.possible) or "not told"
        yield f"  category {signature.category or 'open: ' + possible}"
    for key, made in signature.keys.items():
        yield f"  {key:<7} {made.value}"
        yield f"    {made.text}"
        for doubt in signature.inferred.get(key, ()):
            yield f"    not the same as a core's when: {doubt}"
    if open_keys:
        yield from _candidate_key_lines(signature, whole=explain)
    for line in why_keys_are_absent(
        {k: why for k, why in signature.absent.items() if k not in open_keys}
    ):
        yield f"  {line}"
    for note in dump.notes:
        yield f"  note: {note}"
    group = next((key for key in ("stable", "python", "native") if key in signature.keys), None)
    if group is not None:  # what a fleet groups by: SPEC.md 1.3
        yield f"  seen before?: gdb-epi fleet seen {signature.keys[group].value}"
    if explain:
        yield from (f"  step: {step}" for step in signature.steps)
        yield from (f"  frame: {text}" for text in signature.frames[:MAX_FRAMES])


def _candidate_key_lines(signature: TextSignature, *, whole: bool) -> Iterator[str]:
    """Yield why only the kind of crash is open, and a row of keys for each kind unless many."""
    names = tuple(signature.candidates)
    number = len(signature.possible)
    yield f"  no key {', '.join(names)} yet: {number} kinds of crash are possible"
    yield f"    {signature.absent[names[0]].partition(': ')[2]}"
    if number > MAX_KINDS and not whole:
        yield f"    then: --category NAME, as {FIRST_KINDS}"
        yield "    the key of each kind: --explain"
        return
    from gdb_epi.render.report_text import table_lines

    rows = []
    for category in signature.possible:
        made = (signature.candidates[name].get(category) for name in names)
        rows.append((category, *(None if key is None else key.value for key in made)))
    yield from (f"    {line}" for line in table_lines(("--category", *names), rows))
