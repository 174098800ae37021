# SPDX-License-Identifier: Apache-2.0
"""Sign one core: category, thread (SPEC.md section 2), tokens, keys, each step logged.

SPEC.md is normative.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.types import MergedStack, PythonState
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, UNREADABLE, Absent
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.mapping_checks import may_execute, stack_is_dumped
from gdb_epi.hangs.types import HangDiagnosis
from gdb_epi.process_state import ProcessState
from gdb_epi.signature import keys as k
from gdb_epi.signature.categories.rules import categorise
from gdb_epi.signature.categories.types import Category, CategoryInput
from gdb_epi.signature.drop_sets import THREAD_BASE, load_drop_sets
from gdb_epi.signature.keys import (
    BUSY,
    CIRCLE,
    HangKeyParts,
    choose_signed_thread_of_hang,
    drop_library_wait_tokens,
    hang_key_content,
    hang_key_parts_of_diagnosis,
)
from gdb_epi.signature.tokens import (
    NATIVE,
    PYTHON,
    Token,
    cut_reraising_handler,
    format_stack_line,
    insert_asserting_function,
    tokenise,
)
from gdb_epi.signature.types import LACKS_FILES, MainThreadSignature, Signature
from gdb_epi.target.api import NativeFrame, Target, Thread
from gdb_epi.typing_lite import NamedTuple

# Categories in which the first thread of the core did nothing wrong.
NOT_ITS_FAULT = frozenset(("killed-external", "snapshot"))
MIN_QUALITY = 0.5  # share of plausible physical frames below which a stack is corrupt
MIN_FRAMES = 2  # physical frames; every thread has a base below its function
_JUMPED = frozenset(("segv-exec", "return-to-null", "segv-null", "ill"))  # pc may be wild here
ASSERTION = "abort-assert"
_RULE_OF_HANG = {CIRCLE: "N70", BUSY: "N73"}
KEY_NAMES = ("exact", "strict", "stable", "coarse", "python", "native", "code")


class ChosenThread(NamedTuple):
    """The thread to sign, and why; `tid` is None for a core without threads."""

    tid: int | None
    why: str


def choose_thread(
    category: str, threads: Sequence[Thread], gil_holder: int | None, pid: int | None
) -> ChosenThread:
    """Return the first thread of the core; for a hang the GIL holder, else the main thread."""
    if not threads:
        return ChosenThread(None, "the core lists no thread")
    if category not in NOT_ITS_FAULT:
        return ChosenThread(threads[0].tid, "the kernel wrote this thread first")
    tids = {thread.tid for thread in threads}
    if gil_holder is not None and gil_holder in tids:
        return ChosenThread(gil_holder, f"{category}: it holds the GIL")
    if pid is not None and pid in tids:
        return ChosenThread(pid, f"{category}: no thread holds the GIL; this is the main thread")
    return ChosenThread(threads[0].tid, f"{category}: no GIL holder and no main thread are known")


class _AvailableStackHalves(NamedTuple):
    """Which halves of the stack could be had; each an Absent or None."""

    native: Absent | None
    python: Absent | None

    def why_incomplete(self) -> str:
        """Return why a key of both halves cannot be made; "" when it can."""
        reasons = []
        if self.native is not None:
            reasons.append(f"no native stack ({self.native.detail})")
        if self.python is not None:
            reasons.append(f"no Python stack ({self.python.detail})")
        return "; ".join(reasons)


class SignedProcess(NamedTuple):
    """A signature together with the inputs it was made from."""

    signature: Signature
    inputs: CategoryInput
    stack: MergedStack | None


def sign(state: ProcessState) -> SignedProcess:
    """Return the signature of a process."""
    threads = state.target.threads()
    inputs = CategoryInput(
        state.target, state.crash, _native_stack_of_first_thread(state), state.fault_account
    )
    category, steps = categorise(inputs)
    pid = None if isinstance(state.process, Absent) else state.process.pid
    holder = state.python.gil_holder if isinstance(state.python, PythonState) else None
    hang = state.hang if category.name in NOT_ITS_FAULT else None
    words = hang_key_parts_of_diagnosis(hang) if isinstance(hang, HangDiagnosis) else None
    choice = choose_thread(category.name, threads, holder, pid)
    if words is not None and isinstance(hang, HangDiagnosis):
        why = f"{category.name}: {hang.kind}: its wait or its loop decides"
        choice = ChosenThread(choose_signed_thread_of_hang(hang, words).tid, why)
    steps.append(f"thread: {choice.tid}: {choice.why}")
    stack = state.stack(choice.tid) if choice.tid is not None else None
    maker = _KeyMaker(state, inputs, category, steps, hang=words).make_keys(stack)
    secondary = _sign_main_thread(state, inputs, category, choice.tid, pid)
    core_key = state.target.core_key()
    return SignedProcess(
        Signature(
            version=k.VERSION,
            category=maker.category,
            tid=choice.tid,
            thread_why=choice.why,
            core_key=None if isinstance(core_key, Absent) else core_key,
            keys=maker.keys,
            absent=maker.absent,
            native=maker.native,
            quality=maker.quality,
            steps=tuple(maker.steps),
            secondary=secondary,
            hang=words,
            function_code=maker.function_code,
        ),
        inputs,
        stack,
    )


def _native_stack_of_first_thread(state: ProcessState) -> Sequence[NativeFrame] | Absent:
    """Return the native stack of the thread that the kernel wrote first."""
    threads = state.target.threads()
    if not threads:
        return Absent(NOT_APPLICABLE, "the core lists no thread")
    lost = _why_stack_is_lost(state, threads[0].tid)
    frames = state.target.native_frames(threads[0].tid)
    if lost is not None or isinstance(frames, Absent):
        return frames if lost is None else lost
    if len(frames) < MIN_FRAMES and not any(frame.function for frame in frames):
        return Absent(NOT_AVAILABLE, "the unwinder got no further than one nameless frame")
    return frames


def _why_stack_is_lost(state: ProcessState, tid: int) -> Absent | None:
    """A core that was cut before the stack leaves the unwinder one frame: that is no stack."""
    thread = state.thread(tid)
    sp = thread.sp if thread is not None else 0
    if stack_is_dumped(state.target, sp):
        return None
    return Absent(UNREADABLE, f"the stack at {sp:#018x} is not in the core")


def _sign_main_thread(
    state: ProcessState, inputs: CategoryInput, category: Category, tid: int | None, pid: int | None
) -> MainThreadSignature | None:
    """Sign the main thread too when a watchdog thread aborted the process."""
    if category.family != "abort" or pid is None or tid is None or tid == pid:
        return None
    if state.thread(pid) is None:
        return None
    maker = _KeyMaker(state, inputs, category, [], may_cut=False).make_keys(state.stack(pid))
    return MainThreadSignature(pid, maker.keys)


def asserting_function(inputs: CategoryInput, category: str) -> str | None:
    """Return the function that a failed assertion names, as glibc wrote it; None without one."""
    message = inputs.abort_message if category == ASSERTION else None
    return (message.function or None) if isinstance(message, AbortMessage) else None


def asserting_token(function: str) -> str:
    """Return the token (N65) of the function that the message of an assertion names."""
    from gdb_epi.signature.native_names import normalised_name_and_note

    name = normalised_name_and_note(function)[0]
    return name + ("::operator()" if name.endswith("{lambda}") else "")


def measure_stack_quality(
    frames: Sequence[NativeFrame], category: str, inputs: CategoryInput
) -> float:
    """Return the share of physical frames whose pc lies in executable memory, 0 to 1.

    The innermost pc is excused where the category itself says that it is wild. A single frame
    counts as 0, the unwinder was lost at once, unless it is main() or a thread's first function.
    """
    physical = [f for f in frames if not f.inlined and f.kind != "signal"]
    if category in _JUMPED and len(physical) > 1:
        physical = physical[1:]
    elif len(physical) < MIN_FRAMES and not any(
        _is_outermost_function(frame) for frame in physical
    ):
        return 0.0
    return sum(_may_execute_at(inputs, frame.pc) for frame in physical) / len(physical)


def _lacks_unwind_information(
    natives: Sequence[NativeFrame], category: str, inputs: CategoryInput
) -> bool:
    """Tell whether a short stack shows missing unwind information and not damage.

    A named function means that the unwinder had the files; a wild pc is no fault of theirs.
    """
    if measure_stack_quality(natives, category, inputs) >= MIN_QUALITY:
        return False
    named = any(frame.function for frame in natives)
    return not named and (not natives or _may_execute_at(inputs, natives[0].pc))


def _is_stack_backed_by_no_file(target: Target, natives: Sequence[NativeFrame]) -> bool:
    """Tell whether neither a function's name nor a matching file backs any frame of a stack.

    Without unwind tables a debugger guesses callers from what looks like return addresses; keys
    of such stacks would differ from those made where the files are.
    """
    if not natives or any(frame.function for frame in natives):
        return False
    modules = {m.path: m for m in target.modules()}
    used = [modules[f.module] for f in natives if f.module in modules]
    return bool(used) and all(isinstance(module.file, Absent) for module in used)


def _is_outermost_function(frame: NativeFrame) -> bool:
    """Tell whether a function has no caller that matters: GDB stops at main()."""
    name = frame.function or ""
    return name == "main" or load_drop_sets().native_drop_class(name) == THREAD_BASE


def _may_execute_at(inputs: CategoryInput, pc: int) -> bool:
    # Without any mapping (a remote process that sends none) nothing speaks against a frame.
    return may_execute(inputs.region_at(pc)) or not inputs.target.regions()


class _KeyMaker:
    """Makes the keys of one stack and logs each step."""

    def __init__(
        self,
        state: ProcessState,
        inputs: CategoryInput,
        category: Category,
        steps: list[str],
        *,
        may_cut: bool = True,
        hang: HangKeyParts | None = None,
    ) -> None:
        self.state = state
        self.inputs = inputs
        self.category = category
        self.steps = steps
        self.keys: dict[str, k.Key] = {}
        self.absent: dict[str, str] = {}
        self.quality: float | None = None
        self.native = False
        self.may_cut = may_cut
        self.hang = hang
        self.function_code: str | None = None

    def make_keys(self, stack: MergedStack | None) -> _KeyMaker:
        """Fill `keys`, `absent`, `quality` and `steps`."""
        if stack is None:
            self.absent = dict.fromkeys(KEY_NAMES, "the core lists no thread")
            return self
        natives = [f.native for f in stack.frames if f.native is not None]
        halves = _AvailableStackHalves(
            self._why_no_native_half(stack, natives), self._why_no_python_half()
        )
        tokenised = tokenise(stack, load_drop_sets(), self.state.region_at)
        self.steps += tokenised.steps
        tokens = self._put_asserting_function_first(
            self._cut_reraising_handler(list(tokenised.tokens))
        )
        if halves.native is not None:
            self.absent["exact"] = f"no native stack ({halves.native.detail})"
        else:
            self._add_key("exact", k.exact_key(natives, overflow=self.overflow))
        self.native = halves.native is None
        if self.native:
            self.quality = round(measure_stack_quality(natives, self.category.name, self.inputs), 3)
            if self.quality < MIN_QUALITY:
                self._sign_by_pc_only(natives)
                self._add_python_key(tokens, halves)
                return self
        self._add_stack_keys(tokens, halves)
        return self

    @property
    def overflow(self) -> bool:
        """Whether the stack ended wherever the guard was hit."""
        return self.category.name == "segv-stack-overflow"

    def _why_no_native_half(
        self, stack: MergedStack, natives: Sequence[NativeFrame]
    ) -> Absent | None:
        if stack.native is not None or stack.tid is None:
            return stack.native
        lost = _why_stack_is_lost(self.state, stack.tid)
        if lost is None and _is_stack_backed_by_no_file(self.state.target, natives):
            return Absent(NOT_AVAILABLE, LACKS_FILES[0])
        if lost is None and _lacks_unwind_information(natives, self.category.name, self.inputs):
            return Absent(NOT_AVAILABLE, LACKS_FILES[1])
        return lost

    def _why_no_python_half(self) -> Absent | None:
        python = self.state.python
        if isinstance(python, Absent) and python.reason != NOT_APPLICABLE:
            return python
        return None

    def _cut_reraising_handler(self, tokens: list[Token]) -> list[Token]:
        fault = self.inputs.fault
        if not self.may_cut or isinstance(fault, Absent) or fault.origin != "signal-frame":
            return tokens
        tokens, was_cut = cut_reraising_handler(tokens)
        outcome = "cut at the signal frame" if was_cut else "no native signal frame to cut at"
        self.steps.append(f"N35 frames: a handler re-raised the signal; {outcome}")
        return tokens

    def _put_asserting_function_first(self, tokens: list[Token]) -> list[Token]:
        """Put the function that a failed assertion names first: it may be inlined or nameless."""
        function = asserting_function(self.inputs, self.category.name) if self.may_cut else None
        if function is None:
            return tokens
        name = asserting_token(function)
        self.steps.append(f"N65 frames: the assertion names {name}")
        return insert_asserting_function(tokens, name)

    def _add_key(self, name: str, maker: k.Key | str) -> None:
        if isinstance(maker, k.Key):
            self.keys[name] = maker
        else:
            self.absent[name] = maker

    def _sign_by_pc_only(self, natives: Sequence[NativeFrame]) -> None:
        """Below the quality threshold only the pc's class and module are told apart."""
        pc = natives[0].pc if natives else 0
        region = self.inputs.region_at(pc)
        pc_class = "null" if pc == 0 else "unmapped" if region is None else region.perms[:3]
        module = "-"
        if region is not None and region.path:
            from gdb_epi.signature.names import native_module_name

            module = native_module_name(region.path)
        evidence = (
            f"{self.category.name}, and only {self.quality:.0%} of the unwound frames are "
            "plausible: a damaged stack, or unwind information is missing"
        )
        self.category = Category("corrupt-stack", self.category.family, evidence)
        content = f"corrupt-stack {pc_class} {module}"
        for name in ("stable", "coarse"):
            self.keys[name] = k.make_key(name, content)
        for name in ("strict", "native", "code"):
            self.absent[name] = "the native stack is not plausible"
        self.steps.append(f"N61 quality: {self.quality} is below {MIN_QUALITY}: corrupt-stack")

    def _add_stack_keys(self, tokens: list[Token], halves: _AvailableStackHalves) -> None:
        overflow = self.overflow
        every = tokens
        if self.hang is not None:
            tokens = drop_library_wait_tokens(self.hang, tokens)
            self.steps.append(f"{_RULE_OF_HANG.get(self.hang.word, 'N72')} frames: of the hang")
        selection = k.select_tokens(tokens, overflow=overflow)
        coarse = k.select_tokens([token for token in tokens if token.physical], overflow=overflow)
        if selection.flagged:
            why = "every native frame is in a drop set; one of them stands in"
            self.steps.append(f"N53 frames: {why}")
        missing = halves.why_incomplete()
        narrow = k.coarse_tokens(coarse)
        if sum(token.kind == NATIVE for token in narrow) > 1:
            self.steps.append("N66 frames: coarse has the caller of a function without a name")
        name = self.category.name
        # Each half as if the other did not exist: a partial analysis makes the same keys.
        inner = every if overflow else k.native_frames_inside_python(every)
        native = k.select_tokens_of_language(inner, NATIVE, overflow=overflow)
        self._add_half_key("native", native, halves.native, name)
        self._add_python_key(tokens, halves)
        for key, content in (("stable", selection.tokens), ("coarse", narrow)):
            if missing:
                self.absent[key] = missing
            elif not content:
                self.absent[key] = "no frame names anything"
            else:
                words = hang_key_content(
                    self.hang, format_stack_line(content), coarse=key == "coarse"
                )
                self.keys[key] = k.make_key(key, f"{name} {words}")
        self._add_key("strict", missing or k.strict_key(every, overflow=overflow))
        self._add_key("code", missing or self._coarse_key_by_function_code(narrow))

    def _coarse_key_by_function_code(self, coarse: Sequence[Token]) -> k.Key | str:
        """Return `coarse` with its function named by its instructions, or why there is none."""
        if self.hang is not None and self.hang.word == CIRCLE:
            return k.NO_NATIVE_FRAME
        nameless = k.nameless_function_of_coarse(coarse, overflow=self.overflow)
        if isinstance(nameless, str):
            return nameless
        from gdb_epi.signature.names_from_instructions import name_from_instructions

        code = name_from_instructions(self.state.target, nameless.pc)
        if isinstance(code, Absent):
            return code.detail
        self.function_code = code
        content = format_stack_line(k.coarse_tokens_with_code_name(coarse, nameless, code))
        words = hang_key_content(self.hang, content, coarse=True)
        return k.make_key("code", f"{self.category.name} {words}")

    def _add_python_key(self, tokens: Sequence[Token], halves: _AvailableStackHalves) -> None:
        """The Python stack hangs on the thread state: a damaged native stack leaves it whole."""
        family = self.category.family
        content = k.select_tokens_of_language(
            tokens, PYTHON, overflow=family == "segv-stack-overflow"
        )
        self._add_half_key("python", content, halves.python, family)

    def _add_half_key(
        self, key: str, content: Sequence[Token], absent: Absent | None, category: str
    ) -> None:
        if absent is not None:
            self.absent[key] = absent.detail
        elif not content:
            self.absent[key] = "this thread has no such frame"
        else:
            words = format_stack_line(content)
            if key == "python":
                words = hang_key_content(self.hang, words)
            self.keys[key] = k.make_key(key, f"{category} {words}")
