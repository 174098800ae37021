# SPDX-License-Identifier: Apache-2.0
"""The answers of a triage: JSON lines, one screen for one core, a table for many.

The stacks block of `gdb-epi triage --stacks` as text, made from its JSON form.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from gdb_epi.cli.support.core_files import CoreInput
from gdb_epi.cli.support.examine import ExaminedCore, FailedCore, Result
from gdb_epi.cli.support.messages import (
    repeated_database_option,
    repeated_file_options,
    write_to_stderr,
)
from gdb_epi.errors import EXIT_UNUSABLE_INPUT, EpiError, SoftError, UsageError
from gdb_epi.fault.find_fault import ELSEWHERE, OTHER, PROCESS
from gdb_epi.judgement.labels import CANNOT_TELL, NO_FAULT, URGENT
from gdb_epi.private_files import private_opener
from gdb_epi.record.record_parts import get_group, get_groups, grouping_key_line, verdict_label
from gdb_epi.render.color import colored_lines, wants_color
from gdb_epi.render.escape import escape, one_line
from gdb_epi.typing_lite import IO, TYPE_CHECKING, Any, Namespace
from gdb_epi.util import counted, shell_word

if TYPE_CHECKING:
    from gdb_epi.fleet.earlier_crashes import EarlierCrashes
    from gdb_epi.render.triage import Audience


SHOWN_SIGNATURES = 20  # rows of the last table
SHORT = 24  # cores whose own table is seen at once


@contextmanager
def open_triage_output(
    args: Namespace, inputs: Sequence[str], *, many: bool
) -> Iterator[AnswerWriter]:
    """Open the output; a reader that went away does not keep the records from being stored."""
    with _open_output(args.output, inputs) as file:
        out = _OutputStream(file, may_vanish=not args.no_db and args.output is None)
        if args.format == "json":
            yield _JsonLinesWriter(out)
        elif many:
            options = f"{repeated_file_options(args)}{repeated_database_option(args)}"
            yield _TableWriter(out, options, whole=args.all)
        else:
            from gdb_epi.fleet.earlier_crashes import read_earlier_crashes

            ask = None if args.no_db else partial(read_earlier_crashes, args.db)
            color = args.output is None and wants_color(args.color, file)
            from gdb_epi.render.triage import SHELL, Audience

            reader = Audience(
                SHELL,
                evidence=args.evidence,
                whole=args.all,
                has_locals=args.locals,
                files=repeated_file_options(args),
                executable=f" --exe {shell_word(args.exe)}" if args.exe else "",
                database=repeated_database_option(args),
            )
            yield _OneScreenWriter(out, ask, reader, color=color)
        out.flush()


class _OutputStream:
    """A text stream; after its reader is gone it swallows what is written."""

    def __init__(self, file: IO[str], *, may_vanish: bool) -> None:
        self._file = file
        self._may_vanish = may_vanish
        self._gone = False

    def write_lines(self, *texts: str) -> None:
        """Write lines."""
        for text in texts:
            if not self._gone:
                self._unless_pipe_is_closed(lambda line=text: print(line, file=self._file))

    def flush(self) -> None:
        """Let the reader have it now; storing may take longer."""
        if not self._gone:
            self._unless_pipe_is_closed(self._file.flush)

    def _unless_pipe_is_closed(self, action: Any) -> None:
        try:
            action()
        except BrokenPipeError:
            if not self._may_vanish:
                raise
            self._gone = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._file.fileno())


class AnswerWriter:
    """Takes results in the order of the command line."""

    def __init__(self, out: _OutputStream) -> None:
        self._out = out

    def add_result(self, core: CoreInput, result: Result) -> None:
        """Take the result of one core."""
        if isinstance(result, ExaminedCore):
            self.add_record(core, result)

    def add_record(self, core: CoreInput, examined: ExaminedCore) -> None:
        """Take the record of one core."""
        raise NotImplementedError

    def finish(self, problems: Sequence[FailedCore]) -> None:
        """End the answer; `problems`, told on standard error, are all that gave no record."""
        for problem in problems:
            write_to_stderr(problem.one_line_text())
        self._out.flush()


class _JsonLinesWriter(AnswerWriter):
    def add_record(self, core: CoreInput, examined: ExaminedCore) -> None:
        """Write one record a line."""
        import json

        from gdb_epi.render.report_json import to_json_value

        # Of a worker's record all is plain, as it came here as JSON.
        self._out.write_lines(json.dumps(record_with_stacks(examined), default=to_json_value))
        self._out.flush()


_Ask = Callable[[Mapping[str, Any]], "EarlierCrashes"]


class _OneScreenWriter(AnswerWriter):
    def __init__(
        self, out: _OutputStream, ask: _Ask | None, reader: Audience, *, color: bool
    ) -> None:
        super().__init__(out)
        self._ask = ask
        self._reader = reader
        self._color = color

    def add_record(self, core: CoreInput, examined: ExaminedCore) -> None:
        """Write the answer about one core."""
        from gdb_epi.render.triage import render_triage

        reader = self._reader._replace(
            core=shell_word(core.path),
            line=examined.line,
            tasks=examined.tasks,
            ended_file=examined.ended_file,
        )
        errors = get_groups(examined.record, "soft_errors")
        if reader.executable and any(error.get("stage") == "executable" for error in errors):
            reader = reader._replace(files=reader.files.replace(reader.executable, ""))
        if self._ask is not None:
            decided, number, seen = self._ask(examined.record)
            reader = reader._replace(decided=decided, earlier=number, seen=seen)
        lines = list(render_triage(examined.record, reader))
        if examined.stacks is not None:
            fate = _first_thread_fate(examined.record)
            lines += stacks_lines(examined.stacks, fate, whole=self._reader.whole)
        if self._color:
            lines = list(colored_lines(lines, verdict_label(examined.record)))
        self._out.write_lines(*lines)


class _GroupOfAlikeCores:
    """Cores with one verdict and one signature; `best` is the one to open first."""

    def __init__(self) -> None:
        self.count = 0
        self.keys: set[str] = set()  # of the cores: a copy is the same dead process
        self.programs: set[str] = set()
        self.best = ""
        self.worth: tuple[float, ...] = ()
        self.record: Mapping[str, Any] = {}

    @property
    def program(self) -> str:
        """The program of these cores, "several" of more than one."""
        return next(iter(self.programs)) if len(self.programs) == 1 else "several"

    def add(self, path: str, program: str, record: Mapping[str, Any]) -> bool:
        """Count a core, and keep it where it tells more than those before; False for a copy."""
        key = record.get("core_key")
        if isinstance(key, str):
            if key in self.keys:
                return False
            self.keys.add(key)
        self.count += 1
        self.programs.add(program)
        # How much a core can tell: whole before cut, native frames, a sure verdict.
        stack = get_group(get_group(record, "threads"), "crashed")
        worth = (
            not get_group(record, "truncated").get("flag"),
            stack.get("native") == "present",
            float(get_group(record, "verdict").get("confidence") or 0),
        )
        if not self.best or worth > self.worth:
            self.best, self.worth, self.record = path, worth, record
        return True


class _TableWriter(AnswerWriter):
    def __init__(self, out: _OutputStream, options: str, *, whole: bool) -> None:
        super().__init__(out)
        self._options = options  # which the command to paste repeats
        self._whole = whole
        self._rows: list[list[object]] = []
        self._groups: dict[tuple[str, str], _GroupOfAlikeCores] = {}
        self._copies = 0

    def add_record(self, core: CoreInput, examined: ExaminedCore) -> None:
        """Keep one row; stacks are written at once."""
        record = examined.record
        process, signature = get_group(record, "process"), get_group(record, "signature")
        who = str(process.get("script") or process.get("comm") or "?")
        label = verdict_label(record)
        self._rows.append(
            [core.path, f"{who} ({process.get('pid') or '?'})", *_table_cells_of_record(record)]
        )
        line = grouping_key_line(signature) or str(signature.get("category"))
        group = self._groups.setdefault((label, line), _GroupOfAlikeCores())
        self._copies += not group.add(core.path, who, _record_groups_for_table(record))
        if examined.stacks is not None:
            fate = _first_thread_fate(record)
            stacks = stacks_lines(examined.stacks, fate, whole=self._whole)
            self._out.write_lines(f"== {escape(core.path)}", *stacks)

    def finish(self, problems: Sequence[FailedCore]) -> None:
        """Write the cores, then the table by verdict and signature, then what to open first."""
        from gdb_epi.render.report_text import table_lines

        if self._rows:
            headers = ("core", "process", "verdict", "where", "what")
            self._out.write_lines(*table_lines(headers, self._rows), "")
        unusable = sum(problem.exit_code == EXIT_UNUSABLE_INPUT for problem in problems)
        total = len(self._rows) + len(problems)
        failed = len(problems) - unusable
        counts = f"{counted(total, 'input')}: {len(self._rows)} read"
        counts += f", {unusable} unusable, {failed} failed"
        kinds = f"{counts}; {counted(len(self._groups), 'kind')} of crash"
        if self._copies:
            kinds += f"; copies of others, not counted again: {self._copies}"
        self._out.write_lines(kinds)
        groups = sorted(self._groups.values(), key=lambda group: -group.count)
        if groups:
            # What happened once is seen in the table above, unless that fills screens.
            short = len(self._rows) <= SHORT
            listed = [group for group in groups if group.count > 1 or not short]
            rows = [
                [g.count, g.program, *_table_cells_of_record(g.record), g.best]
                for g in listed[:SHOWN_SIGNATURES]
            ]
            columns = ("cores", "program", "verdict", "where", "what", "open first")
            more = len(groups) - len(rows)
            if rows:
                self._out.write_lines(*table_lines(columns, rows))
            if rows and more:
                once = " of one core each" if short else ""
                self._out.write_lines(f"and {counted(more, 'more kind')}{once}")
            first = max(groups, key=_urgency_of_group)
            command = f"gdb-epi triage {shell_word(first.best)}{self._options}"
            why = f" (of {first.count} alike it tells most)" if first.count > 1 else ""
            self._out.write_lines(f"Look at this one first{why}: {escape(command)}")
        super().finish(problems)


def _urgency_of_group(group: _GroupOfAlikeCores) -> tuple[bool, bool, int, bool]:
    whole = not get_group(group.record, "truncated").get("flag")
    label = verdict_label(group.record)
    return label in URGENT, label != NO_FAULT, group.count, whole


def _record_groups_for_table(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the groups of a record that a table needs: thousands are kept at once."""
    crashed = get_group(get_group(record, "threads"), "crashed")
    brief = {"native": crashed.get("native")}
    names = ("verdict", "signature", "truncated", "core_key")
    return {name: record.get(name) for name in names} | {"threads": {"crashed": brief}}


def _table_cells_of_record(record: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return verdict, place and kind of death of a core, for the cells of a table."""
    from gdb_epi.render.signature_words import UNKNOWN, where_and_what_of_record

    label = verdict_label(record)
    where, what = where_and_what_of_record(
        record, grouping_key_line(get_group(record, "signature"))
    )
    if get_group(record, "truncated").get("flag"):
        nothing = where == UNKNOWN and label == CANNOT_TELL
        what = "the core was cut off" if nothing else f"{what} (the core was cut off)"
    return label, where, what


def record_with_stacks(result: ExaminedCore) -> dict[str, Any]:
    """Return the record with its stacks beside, as SCHEMA.md ("Stacks and frames") has it.

    The record's own group `threads` (counts) moves to `thread_summary`, because `threads` is the
    list of stacks then.
    """
    if result.stacks is None:
        return result.record
    record = dict(result.record)
    if "threads" in record:
        record["thread_summary"] = record.pop("threads")
    errors = [*record.get("soft_errors", []), *result.stacks.get("soft_errors", [])]
    unique = [error for index, error in enumerate(errors) if error not in errors[:index]]
    beside = {key: value for key, value in result.stacks.items() if key not in record}
    return {**record, **beside, "soft_errors": unique}


@contextmanager
def _open_output(name: str | None, inputs: Sequence[str]) -> Iterator[IO[str]]:
    """Open FILE before the work begins, so that a bad path costs nothing."""
    if name is None:
        yield sys.stdout
        return
    if os.path.exists(name) and any(os.path.samefile(name, path) for path in inputs):
        raise UsageError(f"--output {name} would overwrite a core", hint="another file")
    try:
        file = open(  # noqa: SIM115
            name, "w", encoding="utf-8", errors="backslashreplace", opener=private_opener
        )
    except OSError as error:
        message = f"cannot write {name}: {error.strerror or error}"
        raise EpiError(message, hint="--output with another path") from None
    with file:
        yield file


def stacks_lines(
    stacks: Mapping[str, Any], ending: str = "crashed", *, whole: bool = False
) -> Iterator[str]:
    """Yield the lines of all threads, the exception, the tasks and what could not be had.

    `ending` is what to say of the thread that the kernel wrote first: see `_first_thread_fate`.
    Unless `whole`, long values end in three dots.
    """
    from gdb_epi.render.report_text import MAX_NOTES_OF_STACKS, soft_error_lines

    cut = False
    for thread in sorted(get_groups(stacks, "threads"), key=lambda t: not t.get("crashed")):
        yield ""
        yield escape(_thread_title(thread, ending))
        cut = (yield from _frame_lines(get_groups(thread, "frames"), whole=whole)) or cut
    exception = stacks.get("exception")
    if exception:
        message = f": {exception['message']}" if exception.get("message") else ""
        yield ""
        yield escape(f"exception {exception.get('type')}{message}")
    for task in get_groups(stacks, "tasks"):
        yield ""
        yield escape(f"task {task.get('name')} ({task.get('coro')})")
        cut = (yield from _frame_lines(get_groups(task, "stack"), whole=whole)) or cut
    if cut:
        yield "note: three dots end a value that is longer; with --all it is shown whole"
    # `Missing`, above, has what matters of these.
    errors = [SoftError(**error) for error in get_groups(stacks, "soft_errors")]
    others = [error for error in errors if error.stage not in ("merge", "native")]
    yield from soft_error_lines(others, MAX_NOTES_OF_STACKS)


def _first_thread_fate(record: Mapping[str, Any]) -> str:
    """Return what happened to the first thread: one that a signal from outside ended is sound."""
    signal = get_group(record, "signal")
    if not signal:
        return ""
    return "took the signal" if signal.get("sender") in (OTHER, PROCESS, ELSEWHERE) else "crashed"


def _thread_title(thread: Mapping[str, Any], crashed: str) -> str:
    from gdb_epi.render.python_stacks import thread_words

    words = [thread_words(thread.get("name"), thread.get("tid"))]
    signs = (("crashed", crashed), ("holds_gil", "held the GIL"))
    words += [mark for key, mark in signs if mark and thread.get(key)]
    if thread.get("alive") is False:
        words.append("not in the core")
    return ", ".join(words)


def _frame_lines(frames: Any, *, whole: bool) -> Generator[str, None, bool]:
    """Yield a stack with the variables of its frames; return whether a value was cut off."""
    from gdb_epi.render.frame_lines import (
        UNLIMITED,
        StackRow,
        calls_of_record,
        fold_calls,
        row_lines,
    )

    if not frames:
        yield "  (no Python frames)"
        return False
    calls = calls_of_record(frames)
    if not any(frame.get("locals") for frame in frames):
        yield from map(escape, row_lines(fold_calls(calls), UNLIMITED))
        return False
    from gdb_epi.render.variables import MAX_VALUE_LINES, shorten_if_shown_before, value_lines

    shown: set[str] = set()
    cut = False
    for frame, line in zip(
        frames, row_lines([StackRow(call) for call in calls], UNLIMITED), strict=True
    ):
        yield escape(line)
        for variable, value in (frame.get("locals") or {}).items():
            text = f"        {variable} = {one_line(shorten_if_shown_before(value, shown))}"
            lines = value_lines(text, most=None if whole else MAX_VALUE_LINES)
            cut = cut or (len(lines) == MAX_VALUE_LINES and lines[-1].endswith(" ..."))
            yield from lines
    return cut
