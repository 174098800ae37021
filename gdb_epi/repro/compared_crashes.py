# SPDX-License-Identifier: Apache-2.0
"""Two crashes side by side, in words: the answer, what both have, and what differs.

Of processes that did not crash the answer is that of compare_process_copies().
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from gdb_epi.judgement.labels import DEADLOCK, FORK_INHERITED_LOCK, HANG, KILLED, NO_FAULT
from gdb_epi.record.record_parts import (
    get_group,
    get_groups,
    get_number,
    hypothesis_probabilities,
    python_stacks,
    verdict_label,
)
from gdb_epi.render.category_words import category_words
from gdb_epi.render.causes.memory_use import size_in_words
from gdb_epi.render.causes.whose_code import percent_text
from gdb_epi.render.escape import wrap_text
from gdb_epi.render.frame_lines import (
    NATIVE,
    PYTHON,
    StackCall,
    call_words,
    calls_of_record,
    is_own_python,
    short_place,
    shown_name,
)
from gdb_epi.render.opening_sentences import escaped_opening
from gdb_epi.render.triage import explaining_calls
from gdb_epi.repro.changed_values import ProcessChanges
from gdb_epi.repro.expected_crash import HALVES, KeyMatch
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import counted, shortened_list

# -- Two cores of processes that did not crash: the same hang, or one process that moved or
#    did not
#
# In: two records. Out: the answer as a sentence, and where each thread that has moved stood.
# Threads of one process are told by their ids; a thread has moved when its calls or their lines
# differ, or where it runs native code. Of most threads a record has no native calls: one that
# computes within a line may seem to stand.

Record = Mapping[str, Any]
_STUCK = frozenset((HANG, DEADLOCK, FORK_INHERITED_LOCK))
_DID_NOT_FAIL = _STUCK | {NO_FAULT, KILLED}
_FROM_OUTSIDE = frozenset(("snapshot", "killed-external"))


class _ThreadPosition(NamedTuple):
    """Where a thread stands: its calls with their lines, and words for the innermost.

    `addresses` are those of its native calls; none where they are not in the record.
    """

    name: str
    calls: tuple[tuple[str, int | None], ...]
    place: str
    addresses: tuple[object, ...] = ()

    def has_moved(self, later: _ThreadPosition) -> bool:
        """Tell whether the same thread stands elsewhere later."""
        native = bool(self.addresses and later.addresses) and self.addresses != later.addresses
        return native or self.calls != later.calls

    def movement_text(self, later: _ThreadPosition) -> str:
        """Return the two places of a thread that has moved."""
        if self.place == later.place and self.calls[0] == later.calls[0]:
            return f"{self.name}: {self.place}, called or computing otherwise"
        return f"{self.name}: {self.place} | {later.place}"


def was_ended_or_snapshot(record: Record) -> bool:
    """Tell whether a process was ended from outside, or looked at as it ran."""
    label = verdict_label(record)
    category = get_group(record, "signature").get("category")
    return label in _DID_NOT_FAIL or (label == "cannot-tell" and category in _FROM_OUTSIDE)


def compare_process_copies(
    first: Record, second: Record, *, alike: bool, changes: ProcessChanges
) -> tuple[str, list[str]]:
    """Return the answer for two processes that did not crash, and what moved or changed.

    `alike`: their keys are equal. No thread of two different processes has moved. `changes` are
    those of one process, beside where its threads stand.
    """
    if not is_same_process(first, second):
        if all(verdict_label(record) in _STUCK for record in (first, second)):
            return ("The same hang." if alike else "Not the same hang."), []
        place = "the same place" if alike else "different places"
        return f"Neither crashed by itself. They stand at {place}.", []
    # The time between two copies in seconds, by the dates of their files.
    times = [get_number(get_group(record, "time"), "crash_ts") for record in (first, second)]
    apart = round(abs(times[0] - times[1])) if all(times) else 0
    start = f"One process, looked at twice{f' (files {apart:,} s apart)' if apart else ''}: "
    moved, stayed = _compare_threads(first, second)
    if not moved and not stayed:
        return f"{start}no Python thread of it can be compared.", []
    threads = counted(len(moved) + len(stayed), "thread")
    grown = f"Its memory grew by {size_in_words(changes.grown)}" if changes.grown else ""
    leads = [f"{grown}; what fills it: gdb-epi memory, of the later core"] if grown else []
    grows = f" {grown}." if grown else ""
    if moved:
        places = [before.movement_text(after) for before, after in moved]
        moves = f"{len(moved)} of its {threads} moved. What moves is not blocked.{grows}"
        return f"{start}{moves}", [*places[:MAX_MOVED], *leads, *changes.values]
    if changes.values or grown:
        same = "its one thread stands" if len(stayed) == 1 else f"its {threads} stand"
        works = f"{same} where it stood, but its values changed. It works.{grows}"
        works = works if len(stayed) == 1 else works.replace("it stood", "they stood")
        return f"{start}{works}", [*leads, *changes.values]
    beside = " Its tasks were not compared." if get_group(first, "tasks") else ""
    which = "its one thread has not moved" if len(stayed) == 1 else f"none of its {threads} moved"
    if all(verdict_label(record) in _STUCK for record in (first, second)):
        return f"{start}{which}. It hangs, as both say: {_verdict_text(second)}.{beside}", []
    return f"{start}{which}. It hangs, waits for work, or computes within these lines.{beside}", []


def is_same_process(first: Record, second: Record) -> bool:
    """Tell whether two records are of one process: its pid, program, host and a thread are equal.

    Python's number of a thread is an address, which another process with that pid hardly has.
    """
    processes = [get_group(record, "process") for record in (first, second)]
    hosts = {get_group(record, "host").get("hostname") for record in (first, second)} - {None}
    numbers = [
        {(stack.get("tid"), stack.get("ident")) for stack in python_stacks(record)}
        for record in (first, second)
    ]
    return (
        processes[0].get("pid") is not None and len(hosts) < 2
        and all(processes[0].get(k) == processes[1].get(k) for k in ("pid", "exec_id", "script"))
        and not numbers[0].isdisjoint(numbers[1])
    )  # fmt: skip


def _compare_threads(
    first: Record, second: Record
) -> tuple[list[tuple[_ThreadPosition, _ThreadPosition]], list[_ThreadPosition]]:
    """Return the threads of both copies that moved, and those that stand where they stood."""
    before, after = _positions_by_tid(first), _positions_by_tid(second)
    both = [(before[tid], after[tid]) for tid in before if tid in after]
    moved = [(a, b) for a, b in both if a.has_moved(b)]
    return moved, [a for a, b in both if not a.has_moved(b)]


def _positions_by_tid(record: Record) -> dict[Any, _ThreadPosition]:
    """Return where each thread that runs Python stands, by its id."""
    crashed = get_group(get_group(record, "threads"), "crashed")
    stands = {}
    for stack in python_stacks(record):
        tid = stack.get("tid")
        whole = stack if stack.get("frames") or tid != crashed.get("tid") else crashed
        frames = get_groups(whole, "frames")
        calls = [c for c in calls_of_record(frames) if c.language == PYTHON]
        if calls:
            names = tuple((call.name, call.lineno) for call in calls)
            addresses = tuple(frame["pc"] for frame in frames if frame.get("pc"))
            name = str(stack.get("name") or tid)
            stands[tid] = _ThreadPosition(name, names, call_words(calls[0]), addresses)
    return stands


# -- Two crashes side by side, in words: the answer, what both have, and what differs --------------

MAX_LINES = 24
MAX_DIFFERENT = 5  # facts that differ
MAX_MOVED = 3  # threads
MAX_NAMES = 3  # libraries or packages that are named
LABEL = 9  # columns
OTHER_LINE = "both ~"


_NO_DAMAGE = "none found"
# Not the executable and the set of libraries: those are hashes, which say nothing to a reader.
_WORDS = {
    "category": "kind", "corruption": "damage", "kernel": "kernel", "python": "CPython",
    "signal": "signal",
}  # fmt: skip


def is_same_crash(first: Record, second: Record, match: KeyMatch) -> bool:
    """Tell whether two crashes are the same: equal at `stable`, by the same program.

    `exact` and `strict` are of C calls: they are equal for all that one function of Python ends.
    Where one side has no such key (half of its calls is lost) the other half decides.
    """
    programs = {p for p in (_script_name(record) for record in (first, second)) if p}
    if len(programs) > 1:
        return False
    alone = any("verdict" not in record for record in (first, second))  # a key of unknown name
    if alone:
        return any(name in match.equal for name in ("exact", "strict", "stable"))
    if "stable" in match.compared and "stable" not in match.equal:
        return differs_only_in_class_names(first, second, match)
    return "stable" in match.equal or match.reached


def differs_only_in_class_names(first: Record, second: Record, match: KeyMatch) -> bool:
    """Tell whether all calls of Python code are the same, but for the classes in their names.

    Code objects tell the class of a method from CPython 3.11 on (co_qualname); keys are made of
    these names. The lines of the calls are the same, and so are the kind of death and its C calls.
    """
    kinds = {get_group(record, "signature").get("category") for record in (first, second)}
    if len(kinds) > 1 or not {"coarse", "native"} & set(match.equal):
        return False
    calls = [
        [call for call in explaining_calls(record) if call.language == PYTHON]
        for record in (first, second)
    ]
    if not calls[0] or len(calls[0]) != len(calls[1]):
        return False
    for call, other in zip(*calls, strict=True):
        short, long = sorted((call.name, other.name), key=len)
        if (call.filename, call.lineno) != (other.filename, other.lineno) or not short:
            return False
        if short != long and not ("." not in short and long.endswith("." + short)):
            return False
    return True


def side_by_side_lines(
    first: Record, second: Record, names: Sequence[str], comparison: Mapping[str, Any],
    find_changes: Callable[[], ProcessChanges] = ProcessChanges,
) -> list[str]:  # fmt: skip
    """Return the screen, at most MAX_LINES lines, the answer first; `names` are of the two.

    `find_changes` reads two copies of one process.
    """
    match = KeyMatch(**comparison["match"])
    answer, moved = _sameness_sentence(first, second, match), list[str]()
    if names[0] == names[1]:
        answer = "Both are the same file."
    elif was_ended_or_snapshot(first) and was_ended_or_snapshot(second):
        same_place = is_same_crash(first, second, match)
        changes = find_changes() if is_same_process(first, second) else ProcessChanges()
        of_copies, moved = compare_process_copies(first, second, alike=same_place, changes=changes)
        answer = of_copies if match.compared else answer
    lines = [*wrap_text(answer, "", 3), ""]
    for mark, name, record in zip("AB", names, (first, second), strict=True):
        whole = "verdict" in record
        shown = escaped_opening(record, explaining_calls(record))[0] if whole else "its key alone"
        lines += wrap_text(f"{name}: {shown}", f"{mark:<{LABEL}}", 2)
    whole = "verdict" in first and "verdict" in second
    if whole:
        same, different = _common_and_differing_lines(first, second, comparison)
        different = [*moved, *different]
        lines += wrap_text("; ".join(same), f"{'Same':<{LABEL}}", 2) if same else []
        for number, line in enumerate(different[:MAX_DIFFERENT]):
            lines += wrap_text(line, f"{'' if number else 'Differs':<{LABEL}}", 1)
    differs = [name for name in match.compared if name not in match.equal and whole]
    keys = [f"equal: {', '.join(match.equal)}"] if match.equal else []
    keys += [f"different: {', '.join(differs)}"] if differs else []
    lines.append(f"{'Keys':<{LABEL}}{'; '.join(keys) or 'none is equal'}")
    if whole:
        room = MAX_LINES - len(lines) - 1
        lines += ["", *_stack_lines(explaining_calls(first), explaining_calls(second), room)]
    return lines


def _sameness_sentence(first: Record, second: Record, match: KeyMatch) -> str:
    """Return whether it is the same crash, and how sure that is."""
    if not match.compared:
        return "Cannot tell whether it is the same crash: they have no key in common."
    if is_same_crash(first, second, match):
        causes = [_cause_text(record) for record in (first, second) if "verdict" in record]
        if len(causes) == 2 and causes[0] != causes[1]:
            both = f"{causes[0]} (A), {causes[1]} (B)"
            return f"The same place, but perhaps not the same cause: {both}."
        if "stable" not in match.equal and match.level in HALVES:
            half, other = ("Python", "C") if match.level == "python" else ("C", "Python")
            return (
                f"Perhaps the same crash: the {half} calls are alike; the {other} calls are lost."
            )
        names = [
            [shown_name(call) for call in explaining_calls(record) if call.language == PYTHON]
            for record in (first, second)
            if "verdict" in record
        ]
        if "stable" in match.compared and "stable" not in match.equal:
            return (
                "The same crash: the same Python calls, at the same lines. Its keys differ because "
                "only one of the two Pythons knows the classes of methods (3.11 and later do)."
            )
        alike = (
            names[:1] == names[1:]
            or not names[1:]
            or differs_only_in_class_names(first, second, match)
        )
        other_way = "" if alike else ", reached by other calls"
        return f"The same crash{other_way}."
    programs = [_script_name(record) for record in (first, second)]
    if "stable" in match.equal:
        return f"Alike, but of different programs: {programs[0]} (A), {programs[1]} (B)."
    if "coarse" in match.equal:
        return "Alike, but not the same crash: the same kind in the same function, by another way."
    if match.equal:
        half = "Python" if match.equal == ("python",) else "C"
        return f"Not the same crash: only the {half} calls are alike."
    return "Not the same crash: no key is equal."


def _script_name(record: Record) -> str:
    return str(get_group(record, "process").get("script") or "")


def _cause_text(record: Record) -> str:
    """Return the verdict and its likeliest cause as words; the type of what was raised too."""
    label = verdict_label(record).replace("-", " ")
    cause = next(iter(hypothesis_probabilities(record)), "").replace("-", " ")
    raised = str(get_group(record, "exception").get("type") or "")
    words = [label, cause if cause not in ("", "unknown", label) else "", raised]
    return ", ".join(filter(None, words))


def _common_and_differing_lines(
    first: Record, second: Record, comparison: Mapping[str, Any]
) -> tuple[list[str], list[str]]:
    """Return what both have in common, and what differs, the most telling first."""
    same: list[str] = []
    different: list[str] = []
    verdicts = [_verdict_text(record) for record in (first, second)]
    both = [
        (get_group(record, "host").get("hostname"), get_group(record, "process").get("script"))
        for record in (first, second)
    ]
    hosts, scripts = zip(*both, strict=True)
    facts: dict[str, Sequence[Any]] = {"verdict": verdicts, "host": hosts, "program": scripts}
    facts |= {
        _WORDS[name]: [_text_of_fact(name, value) for value in values]
        for name, values in comparison["facts"].items()
        if name in _WORDS
    }
    for name, (of_first, of_second) in facts.items():
        if of_first == of_second:
            same += [f"{name} {of_first}"] if of_first not in (None, "", _NO_DAMAGE) else []
        elif "" not in (of_first, of_second) and None not in (of_first, of_second):
            different.append(f"{name}: {of_first} | {of_second}")
    for title, word in (("packages", "package"), ("libs", "library")):
        changed = comparison[title]
        if changed:
            names = [
                f"{name} {_versions_beside_each_other(pair, title)}".rstrip()
                for name, pair in changed.items()
            ]
            different.append(f"{counted(len(changed), word)}: {shortened_list(names, MAX_NAMES)}")
    if not comparison["libs"] and get_group(first, "libs") and get_group(second, "libs"):
        same.append("all libraries")
    return same, different


def _text_of_fact(name: str, value: Any) -> Any:
    """Return a fact of a crash as a reader knows it."""
    if name == "corruption" and value is not None:
        return _NO_DAMAGE if value in ("none", "software-like") else value
    return category_words(value) if name == "category" and value else value


def _versions_beside_each_other(pair: Sequence[Any], title: str) -> str:
    """Return versions beside each other; of libraries, whose build-ids say nothing, who has it."""
    of_first, of_second = pair
    if title == "packages":
        return f"{of_first or 'none'} | {of_second or 'none'}"
    return "" if of_first and of_second else "(A alone)" if of_first else "(B alone)"


def _verdict_text(record: Record) -> str:
    group = get_group(record, "verdict")
    if not group:
        return ""
    share = get_number(group, "confidence")
    return verdict_label(record) + (f" ({percent_text(share)})" if share else "")


def _stack_lines(
    first: Sequence[StackCall], second: Sequence[StackCall], room: int
) -> Iterator[str]:
    """Yield the two stacks as one: calls of both, of the first alone, of the second alone.

    Of each stretch the innermost calls are shown, as many as `room` allows.
    """
    from difflib import SequenceMatcher

    sides = [[f"{call.language} {shown_name(call)}" for call in calls] for calls in (first, second)]
    matcher = SequenceMatcher(None, sides[0], sides[1], autojunk=False)
    stretches: list[list[tuple[str, StackCall]]] = []
    for what, a, a_end, b, b_end in matcher.get_opcodes():
        if what == "equal":
            pairs = zip(first[a:a_end], second[b:b_end], strict=True)
            stretches.append([(_line_comparison(x, y), x) for x, y in pairs])
            continue
        stretches.append([("A", call) for call in first[a:a_end]])
        stretches.append([("B", call) for call in second[b:b_end]])
    stretches = [stretch for stretch in stretches if stretch]
    if not stretches:
        yield f"{'Stack':<{LABEL}}neither has calls that could be read"
        return
    alike = all(mark not in "AB" for stretch in stretches for mark, _ in stretch)
    title = "Both stacks" if alike else "Stacks"
    lines = any(mark == OTHER_LINE for stretch in stretches for mark, _ in stretch)
    yield f"{title}, most recent call first{' (~: another line)' if lines else ''}"
    shown = max(1, (room - 1) // len(stretches) - 1)
    if len(stretches) == 1:
        shown = room - 2
    left = room - 1
    for stretch in stretches:
        rows = stretch
        if len(stretch) > shown + 1:  # the innermost, and the program's own
            own = [row for row in stretch[1:] if is_own_python(row[1])]
            rows = [stretch[0], *own, *(row for row in stretch[1:] if row not in own)][:shown]
            rows = [row for row in stretch if row in rows]
        for mark, call in rows[: max(0, left)]:
            column = {PYTHON: "py", NATIVE: "C"}.get(call.language, "")
            yield f"  {mark:<6}  {column:<2}  {shown_name(call)}  {short_place(call)}".rstrip()
        left -= len(rows)
        if len(rows) < len(stretch) and left > 0:
            yield f"          ... {counted(len(stretch) - len(rows), 'more call')}"
            left -= 1


def _line_comparison(of_first: StackCall, of_second: StackCall) -> str:
    """Return "both", or with a sign that the same function runs another line."""
    return "both" if short_place(of_first) == short_place(of_second) else OTHER_LINE
