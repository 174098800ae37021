# SPDX-License-Identifier: Apache-2.0
"""Sign a crash known only from text: the keys of gsig/2 that the text determines.

The same rules make the same lines as for a core. What a text does not hold makes a key absent, or,
where only the category is open, a list of candidates: one key for each category that it can be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.cpython.types import MergedFrame, MergedStack
from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.fault.abort_message import AbortMessage, classify_glibc_message
from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.memory_reads import NULL_PAGE
from gdb_epi.fault.signals import SI_KERNEL, SIGABRT
from gdb_epi.signature import keys as k
from gdb_epi.signature.categories.rules import categorise
from gdb_epi.signature.categories.types import CATEGORIES, CategoryInput, category_family
from gdb_epi.signature.drop_sets import load_drop_sets
from gdb_epi.signature.native_names import normalised_name_and_note
from gdb_epi.signature.sign import ASSERTION, asserting_token
from gdb_epi.signature.tokens import (
    EVAL_LOOP,
    NATIVE,
    Token,
    cut_reraising_handler,
    insert_asserting_function,
    tokenise,
)
from gdb_epi.target.api import CrashInfo, NativeFrame
from gdb_epi.textstacks.gdb_lines import is_assert_function
from gdb_epi.textstacks.partial_keys import (
    OVERFLOW,
    STACK_KEYS,
    UNKNOWN,
    Contents,
    MissingKey,
    WhyHalvesAreMissing,
    contents_common_to_readings,
    key_of_contents,
    partial_key_contents,
)
from gdb_epi.textstacks.python_names import (
    QUALIFIED,
    FrameNamer,
    QualifiedNamesFromSource,
    inferences_about_names,
)
from gdb_epi.textstacks.text_crash import FAULTHANDLER, SIGNAL, TextCrash, TextFrame, TextThread
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

# -- Which categories a text leaves open: often it names a signal and not what the address was -----
# Aborts are decided by the rules of signature/categories/rules.py over the frames; faults need the
# siginfo, which a text rarely shows. What stays open is listed, never guessed.

RAISE = "raise"  # class tag of drops.json: raise(), abort() and what they call
OTHERS = {"SIGFPE": "fpe", "SIGILL": "ill", "SIGTRAP": "trap"}
BUS = ("misaligned-sp", "bus-adrerr", "bus-memerr")
SEGV = (
    *(name for name in CATEGORIES if name.startswith("segv-")),
    "return-to-null",
    "misaligned-sp",
)
FAULTS = (*SEGV, *BUS[1:], *OTHERS.values())
NAMELESS_ABORT = (
    "the function of libc that called abort() has no name in the text: failed assertions, malloc "
    "and fortify abort in such ones"
)
NO_ADDRESS = (
    "the text does not show the fault address; GDB does (p $_siginfo), "
    'and so does dmesg ("segfault at ...")'
)


class PossibleCategories(NamedTuple):
    """The categories that the text allows; none when it does not tell a signal.

    `open` says why there are several or none. `family` is set when the family alone is certain.
    `cut` tells to cut the frames of a handler that raised the signal again.
    """

    possible: tuple[str, ...] = ()
    family: str | None = None
    open: str = ""
    cut: bool = False
    steps: tuple[str, ...] = ()


def possible_categories(
    dump: TextCrash, thread: TextThread, given: str | None
) -> PossibleCategories:
    """Return which categories the text allows. `given` is the user's word, and wins."""
    cut = _did_handler_reraise_signal(thread)
    if given is not None:
        return _certain_category(given, cut, f"category: {given}: given by the user")
    if dump.source == FAULTHANDLER and dump.signal is None:
        if dump.fatal is None:
            return PossibleCategories(open="the text tells no crash: stacks of a living process")
        if any("Windows" in note for note in dump.notes):
            return PossibleCategories(open="a dump of Windows has no signal")
        why = "which function raised the fatal error decides the category; the text lacks it"
        step = "category: abort-py-fatal by faulthandler's own first line"
        return PossibleCategories(family="abort", open=why, steps=(step,))
    if dump.signal is None:
        return PossibleCategories(open="the text names no signal", cut=cut)
    if dump.signal == "SIGABRT":
        return _categories_of_abort(thread)
    return _categories_of_fault(dump, thread, dump.signal, cut)


def _certain_category(name: str, cut: bool, *steps: str) -> PossibleCategories:
    return PossibleCategories((name,), category_family(name), "", cut, steps)


def _categories_of_fault(
    dump: TextCrash, thread: TextThread, signal: str, cut: bool
) -> PossibleCategories:
    code = None if cut else dump.facts.get("si_code")
    if not cut and _raises_or_aborts(thread, 0):
        # Sent by the process itself, and no fault under a handler: no rule of the core decides.
        return _certain_category(
            "unknown", False, f"category: {signal} that the process sent itself"
        )
    if code is not None and code <= 0:
        sender, pid = dump.facts.get("si_pid"), dump.facts.get("pid")
        if sender is None or pid is None:
            why = f"si_code {code}: sent by a process, the text does not tell by which"
            return PossibleCategories(("killed-external", "unknown"), open=why)
        name = "unknown" if sender == pid else "killed-external"
        return _certain_category(name, False, f"category: {name}: si_code {code}, si_pid {sender}")
    steps = ["category: taken as raised by the kernel; the text shows no si_code"] * (code is None)
    if signal in OTHERS:
        return _certain_category(OTHERS[signal], cut, *steps)
    if signal == "SIGBUS":
        return PossibleCategories(BUS, None, "the text does not show si_code", cut, tuple(steps))
    if signal != "SIGSEGV":
        return PossibleCategories(("killed-external",), "killed-external", "", cut, tuple(steps))
    possible = SEGV if cut else _categories_of_fault_address(dump, thread)
    open_ = NO_ADDRESS if possible == SEGV else "the mappings of the process decide the rest"
    if len(possible) == 1:
        steps.append(f"category: {possible[0]}: si_addr = {dump.facts.get('si_addr', 0):#x}")
        return _certain_category(possible[0], cut, *steps)
    return PossibleCategories(possible, None, open_, cut, tuple(steps))


def _categories_of_fault_address(dump: TextCrash, thread: TextThread) -> tuple[str, ...]:
    """Return what siginfo leaves of SIGSEGV. A stack pointer not shown counts as aligned."""
    facts = dump.facts
    if facts.get("rsp", 0) % 8:
        return ("misaligned-sp",)
    if facts.get("si_code") == SI_KERNEL:
        return ("segv-noncanonical",)
    address = facts.get("si_addr")
    if address is None:
        return SEGV
    head = thread.native[0] if thread.native else None
    if head is not None and head.pc == address:
        return ("return-to-null", "segv-null") if address == 0 else ("segv-exec",)
    if address < NULL_PAGE:
        return ("segv-null",)
    if address < NEAR_NULL:
        return ("segv-near-null",)
    return ("segv-stack-overflow", "segv-guard", "segv-wild")


def _categories_of_abort(thread: TextThread) -> PossibleCategories:
    if not thread.native:
        why = "SIGABRT without native frames: neither the kind of abort nor its sender is told"
        step = "category: taken as an abort of its own"
        return PossibleCategories(family="abort", open=why, steps=(step,))
    if _did_handler_reraise_signal(thread):
        why = "a handler aborted; which signal it handled is not told"
        return PossibleCategories(FAULTS, open=why, cut=True)
    if not _raises_or_aborts(thread, 0):
        step = "category: SIGABRT outside of abort() and raise(): sent from outside"
        return _certain_category("killed-external", False, step)
    inputs = _AbortCategoryInput(thread)
    category, steps = categorise(inputs)
    if category.name == "unknown":
        return PossibleCategories((), category.family, NAMELESS_ABORT, steps=tuple(steps))
    if category.name in ("abort-malloc:unknown", "abort-terminate:unknown"):
        why = f"{category.evidence}; its class is not in the text"
        return PossibleCategories((), "abort", why, steps=tuple(steps))
    return _certain_category(category.name, False, *steps)


class _AbortCategoryInput(CategoryInput):
    """A inputs for the rules of aborts: a signal that the process sent itself, and its frames.

    Those rules ask no memory when message and frames are given, and a text has none.
    """

    def __init__(self, thread: TextThread) -> None:
        native = (frame for frame in thread.native if frame.kind != SIGNAL)
        self.native = [NativeFrame(1, 1, frame.name, frame.module) for frame in native]
        self.crash = CrashInfo(
            signo=SIGABRT,
            si_code=-6,
            si_errno=0,
            fault_address=None,
            sender_pid=None,
            sender_uid=None,
            tid=thread.tid or 0,
        )
        self.account = Absent(NOT_AVAILABLE, "a text tells of no access")
        self.thrown_type = None
        self.fault = Fault(
            tid=thread.tid or 0,
            signo=SIGABRT,
            code=-6,
            address=None,
            registers={},
            origin="core",
            sender="self",
        )
        words = next((frame.words for frame in thread.native if frame.words), None)
        message: AbortMessage | Absent = Absent(NOT_AVAILABLE, "a text holds no __abort_msg")
        self.abort_message = message if words is None else classify_glibc_message(words)


def _did_handler_reraise_signal(thread: TextThread) -> bool:
    """Tell whether a handler raised again what the kernel had raised below it."""
    signals = (i for i, frame in enumerate(thread.native) if frame.kind == SIGNAL)
    at = next(signals, None)
    return at is not None and _raises_or_aborts(thread, 0) and not _raises_or_aborts(thread, at + 1)


def _raises_or_aborts(thread: TextThread, start: int) -> bool:
    """Tell whether the named frame at or after `start` is one of raise() and abort()."""
    for frame in thread.native[start:]:
        if frame.kind == SIGNAL:
            return False
        if frame.name:
            # Whether a function is one that sends a signal.
            return (
                load_drop_sets().native_drop_class(normalised_name_and_note(frame.name)[0]) == RAISE
            )
    return False


# -- Sign a crash known only from text: the keys of gsig/2 that the text determines ----------------

NO_EXACT = "a text has run-time addresses, no build-ids and no file offsets"
NO_NATIVE = "faulthandler prints no native frames"
NO_C_NAMES = "faulthandler's C stack names exported functions only and marks no signal frame"
NO_PYTHON = "the text shows no Python frames; py-bt or faulthandler would"
PLACES = "the text does not tell which native frames ran which Python frames"
NO_ASSERTION = (
    "the text does not tell which function the failed assertion names, and the caller of "
    "__assert_fail may be one that it was inlined into"
)
MIN_KNOWN = 0.5  # share of physical frames with a name or object; below, the stack may be corrupt
MAX_STEPS = 64


class TextSignature(NamedTuple):
    """The keys that a text carries.

    `category` is None while several are possible. `candidates` holds, for a key that only lacks
    the category, the key for each category in `possible`. `inferred` says about a key what was not
    read but concluded: a core's key may differ there.
    """

    category: str | None
    possible: tuple[str, ...]
    label: str
    tid: int | None
    thread_why: str
    keys: Mapping[str, k.Key]
    absent: Mapping[str, str]
    candidates: Mapping[str, Mapping[str, k.Key]]
    inferred: Mapping[str, tuple[str, ...]]
    frames: tuple[str, ...]
    steps: tuple[str, ...]


def sign_text(
    dump: TextCrash,
    category: str | None = None,
    sources: QualifiedNamesFromSource | None = None,
    minor: int | None = None,
) -> TextSignature | None:
    """Return the signature of one crash; None when the text holds no frame of it.

    `category` and `minor` (of CPython 3) are what the user knows; `sources` looks qualified names
    up in source files.
    """
    thread, why = find_crashed_thread(dump)
    if thread is None:
        return None
    thread = _join_stacks_of_same_thread(dump, thread)
    kinds = possible_categories(dump, thread, category)
    stack = _TextStack(dump, thread, kinds, FrameNamer(dump, sources, minor))
    keys: dict[str, k.Key] = {}
    absent, candidates = {"exact": NO_EXACT}, {}
    for name in STACK_KEYS:
        key = _key_or_candidates(name, stack, kinds)
        if isinstance(key, k.Key):
            keys[name] = key
        elif isinstance(key, MissingKey):
            absent[name] = key.why
        else:
            candidates[name] = key
            absent[name] = f"the category is open: {kinds.open}"
    return TextSignature(
        category=kinds.possible[0] if len(kinds.possible) == 1 else None,
        possible=kinds.possible,
        label=thread.label,
        tid=thread.tid,
        thread_why=why,
        keys=keys,
        absent=absent,
        candidates=candidates,
        inferred=stack.inferences_by_key(),
        frames=tuple(token.text for token in stack.tokens),
        steps=tuple([*kinds.steps, *stack.steps][:MAX_STEPS]),
    )


def find_crashed_thread(dump: TextCrash) -> tuple[TextThread | None, str]:
    """Return the thread that died, and what says so."""
    threads = [t for t in dump.threads if t.native or t.python or t.has_python]
    if not threads:
        return None, "no stack"
    marked = next((t for t in threads if t.current), None)
    if marked is not None:
        return marked, marked.current
    if dump.source == FAULTHANDLER:
        return threads[-1], "no thread is called current; faulthandler prints the main thread last"
    headless = next((t for t in threads if not t.label), None)
    if headless is not None:
        return headless, "`bt` without a thread: GDB selects the one that the kernel wrote first"
    handler = next((t for t in threads if any(f.kind == SIGNAL for f in t.native)), None)
    if handler is not None:
        return handler, "the only sign: it runs a signal handler"
    first = min(threads, key=lambda t: int(t.label) if t.label.isdigit() else 0)
    return first, f"GDB numbers the thread that the kernel wrote first 1; this is {first.label}"


def _join_stacks_of_same_thread(dump: TextCrash, thread: TextThread) -> TextThread:
    """Add what other parts of the text say about the thread: `bt` and `py-bt` may be apart."""
    for other in [t for t in dump.threads if t is not thread and _is_same_thread(t, thread)]:
        if len(other.native) > len(thread.native):
            thread = thread._replace(native=other.native, ends=other.ends)
        if len(other.python) > len(thread.python):
            thread = thread._replace(python=other.python, has_python=True)
    return thread


def _is_same_thread(thread: TextThread, other: TextThread) -> bool:
    if thread.tid is not None and thread.tid == other.tid:
        return True
    return bool(thread.label) and thread.label == other.label


def _key_or_candidates(
    name: str, stack: _TextStack, kinds: PossibleCategories
) -> k.Key | MissingKey | dict[str, k.Key]:
    """Return a key, why there is none, or the candidates where the category alone is missing."""
    if name == "strict":
        # The key `strict` holds no category, but after a stack overflow other frames.
        overflows = {name == OVERFLOW for name in kinds.possible} or {False, True}
        strict_keys = [
            key_of_contents("strict", stack.key_contents(o)["strict"], "")
            for o in sorted(overflows)
        ]
        if any(key != strict_keys[0] for key in strict_keys):
            return MissingKey(f"a stack overflow would have another one: {kinds.open}")
        return strict_keys[0]
    if not kinds.possible and name == "python" and kinds.family is not None:
        return key_of_contents(name, stack.key_contents(False)[name], kinds.family)
    keys: dict[str, k.Key] = {}
    missing: dict[str, MissingKey] = {}
    for category in kinds.possible:
        made = key_of_contents(name, stack.key_contents(category == OVERFLOW)[name], category)
        if isinstance(made, MissingKey):
            missing[category] = made
        else:
            keys[category] = made
    if not kinds.possible:
        plain = stack.key_contents(False)[name]
        return plain if isinstance(plain, MissingKey) else MissingKey(f"no category: {kinds.open}")
    if not keys:
        return next(iter(missing.values()))
    values = {key.value for key in keys.values()}
    return next(iter(keys.values())) if len(values) == 1 and not missing else keys


class _TextStack:
    """The tokens of one thread, and what is not sure about them."""

    def __init__(
        self, dump: TextCrash, thread: TextThread, kinds: PossibleCategories, namer: FrameNamer
    ) -> None:
        self.steps: list[str] = []
        self._dump, self._thread, self._kinds = dump, thread, kinds
        self._namer = namer
        if thread.left_out:
            left_out = f"frames: {thread.left_out} more than the {len(thread.native)} that count"
            self.steps.append(left_out)
        self._named = [self._namer.name_frame(frame) for frame in _python_frames(thread)]
        self._inner, self._outer = self._merge_stack()
        self.tokens = self._tokens(self._inner)
        self.halves = WhyHalvesAreMissing(
            self._why_no_native_tokens(), self._why_no_python_tokens()
        )

    @memoized
    def key_contents(self, overflow: bool) -> Contents:
        """Return what the keys say after the category."""
        ends = self._thread.ends or self._thread.python_ends
        contents = partial_key_contents(self.tokens, self.halves, ends, overflow=overflow)
        if self._outer is not None:
            tokens = self._tokens(self._outer)
            other = partial_key_contents(tokens, self.halves, ends, overflow=overflow)
            contents = contents_common_to_readings(contents, other, PLACES)
        return contents

    def inferences_by_key(self) -> dict[str, tuple[str, ...]]:
        """Return what the names of the keys rest on beside the text."""
        doubts = tuple(
            inferences_about_names([frame for frame in self._named if frame is not None])
        )
        reasons = dict.fromkeys(("strict", "stable", "coarse", "python"), doubts) if doubts else {}
        may_assert = ASSERTION in self._kinds.possible or self._kinds.open == NAMELESS_ABORT
        if may_assert and not self._names_asserting_function():
            for key in ("strict", "stable", "coarse", "native"):
                reasons[key] = (*reasons.get(key, ()), NO_ASSERTION)
        return reasons

    def _tokens(self, frames: Sequence[MergedFrame]) -> list[Token]:
        stack = MergedStack(self._thread.tid, tuple(frames), None)
        tokenised = tokenise(stack, load_drop_sets(), lambda _pc: None)
        self.steps += [step for step in tokenised.steps if step not in self.steps]
        tokens = list(tokenised.tokens)
        if self._kinds.cut:
            tokens = cut_reraising_handler(tokens)[0]
        return (
            self._insert_asserting_function(tokens)
            if self._kinds.possible == (ASSERTION,)
            else tokens
        )

    def _insert_asserting_function(self, tokens: list[Token]) -> list[Token]:
        """Apply N65: the function that the text shows, else the first that is of interest."""
        function = next((frame.asserts for frame in self._thread.native if frame.asserts), None)
        if function is not None:
            return insert_asserting_function(tokens, asserting_token(function))
        first = next((t for t in tokens if t.kind == NATIVE and t.drop_class is None), None)
        return tokens if first is None else insert_asserting_function(tokens, first.text)

    def _names_asserting_function(self) -> bool:
        """Tell whether the function is named; debug information names inlined ones too."""
        frames = self._thread.native
        last = max(
            (i for i, frame in enumerate(frames) if is_assert_function(frame.name)), default=None
        )
        if last is None or any(frame.asserts for frame in frames):
            return last is not None
        return last + 1 < len(frames) and frames[last + 1].filename is not None

    def _merge_stack(self) -> tuple[list[MergedFrame], list[MergedFrame] | None]:
        """Return the merged stack; two where it is open which eval call runs the Python frames."""
        native = [MergedFrame(_as_native_frame(frame), None) for frame in self._thread.native]
        python = [MergedFrame(None, named.frame) for named in self._named if named is not None]
        evals = [i for i, frame in enumerate(native) if _is_eval_frame(frame.native)]
        if not python or not evals:
            return native + python, None
        if len(evals) == len(python):
            merged = list(native)
            for index, frame in reversed(list(zip(evals, python, strict=True))):
                merged.insert(index + 1, frame)
            return merged, None
        inner = [*native[: evals[0] + 1], *python, *native[evals[0] + 1 :]]
        if len(evals) == 1:
            return inner, None
        return inner, [*native[: evals[-1] + 1], *python, *native[evals[-1] + 1 :]]

    def _why_no_native_tokens(self) -> str:
        thread = self._thread
        if not thread.native:
            return NO_C_NAMES if thread.c_stack else NO_NATIVE
        if len(thread.native) == 1 and thread.ends:
            return "only the innermost frame is shown; no backtrace was printed"
        physical = [f for f in thread.native if not f.inlined and f.kind != SIGNAL]
        identified = sum(bool(f.name or f.module) for f in physical)
        if identified < MIN_KNOWN * len(physical):
            return "most frames have neither a name nor an object: the stack may be corrupt"
        return ""

    def _why_no_python_tokens(self) -> str:
        if any(named is None for named in self._named):
            return "a Python frame has no name, or one that faulthandler cut"
        if self._named or (self._thread.has_python and not self._thread.python_ends):
            minor = self._namer.minor
            if self._thread.has_python or (minor is not None and minor < QUALIFIED):
                return ""
            return "python-gdb.py shows one Python frame of each eval call, and those may be more"
        if self._thread.python_ends:
            return self._thread.python_ends
        # Without an eval call this thread runs no Python: its half is known to be empty.
        blind = any(token.text == f"{UNKNOWN}!?" for token in self.tokens)
        runs = any(token.text.startswith(EVAL_LOOP) for token in self.tokens)
        if runs or blind or self._thread.ends or not self._thread.native:
            return NO_PYTHON
        return ""


def _python_frames(thread: TextThread) -> Sequence[TextFrame]:
    """Return the Python frames: the list that was printed, else what stands in eval frames."""
    if thread.has_python:
        return thread.python
    return [python for frame in thread.native for python in frame.python]


def _is_eval_frame(frame: NativeFrame | None) -> bool:
    if frame is None or not frame.function or frame.inlined:
        return False
    return normalised_name_and_note(frame.function)[0] == EVAL_LOOP


def _as_native_frame(frame: TextFrame) -> NativeFrame:
    """Return the frame as the rules take it; a nameless one outside of any object is marked."""
    module = frame.module if frame.name or frame.module else UNKNOWN
    kind = "signal" if frame.kind == SIGNAL else "inline" if frame.inlined else "normal"
    return NativeFrame(
        frame.pc or 0,
        0,
        frame.name,
        module,
        filename=frame.filename,
        lineno=frame.lineno,
        inlined=frame.inlined,
        kind=kind,
    )
