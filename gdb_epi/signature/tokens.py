# SPDX-License-Identifier: Apache-2.0
"""Turn a merged stack into the tokens that keys are made of.

Name the closure that an invoker of the C++ library calls, by its template arguments: N11, N39.

Where -O2 inlines a closure into std::function or std::thread and no debug information says so, the
name of what called it still tells which closure it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdb_epi.cpython.types import MergedFrame, MergedStack, PyFrame
from gdb_epi.fault.mapping_checks import may_execute
from gdb_epi.signature.drop_sets import DropSets
from gdb_epi.signature.names import (
    native_module_name,
    plain_python_name,
    python_name,
    signature_safe_text,
)
from gdb_epi.target.api import NativeFrame, Region
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

CLOSURE = "{lambda}::operator()"
CLOSURE_MARKS = ("::<lambda(", "::{lambda(", "::'lambda", "::$_")
CLOSURE_CODE = "EUl"  # the end of the enclosing function and the beginning of a closure
MAX_SCOPE = 4096  # characters of a name in which the scope of a closure is sought
MAX_LOCALS = 32  # places of a mangled name where a closure may begin
# Functions of libstdc++ 12 and libc++ 15 that do nothing but call their callee.
INVOKERS = frozenset((
    "std::_Function_handler<T>::_M_invoke", "std::thread::_State_impl<T>::_M_run",
    "std::thread::_Invoker<T>::_M_invoke<T>", "std::thread::_Invoker<T>::operator()",
    "std::__invoke_impl<T>", "std::__invoke_r<T>", "std::__invoke<T>",
    "std::__function::__func<T>::operator()",
    "std::__function::__policy_invoker<T>::__call_impl<T>", "std::__thread_proxy<T>",
))  # fmt: skip
NATIVE = "native"
PYTHON = "py"
MAX_FRAMES = 4096  # of one stack; deeper ones are cut
MAX_PERIOD = 8  # length of a cycle that is collapsed
ANONYMOUS_CODE = "anon-exec"
EVAL_LOOP = "_PyEval_EvalFrameDefault"
UNKNOWN_FUNCTION = "!?"  # after the module's name
SIGNAL = "{signal}"
TEMPLATE = "<T>"
STD_GLUE = "std-glue"
PAIR = 2  # adjacent frames of one function that do not yet count as recursion
ASSERT_CLASSES = ("raise", "trampoline")  # what an assertion calls to end the process


def closure_scope(name: str) -> str:
    """Return the function that encloses a closure among the template arguments of a name."""
    end = next((name.find(mark) for mark in CLOSURE_MARKS if mark in name), -1)
    depth = 0
    for position in range(min(end, MAX_SCOPE) - 1, -1, -1):
        letter = name[position]
        if letter in ")>":
            depth += 1
        elif depth and letter in "(<":
            depth -= 1
        elif not depth and letter in "<, (":
            return name[position + 1 : end]
    return ""


def invoked_closure(raw: str) -> str:
    """Return the closure that an invoker of this raw name calls; "" where the name does not tell.

    Of several closures the first counts: it is the callee, the others are its arguments.
    """
    from gdb_epi.demangle.itanium import local_name
    from gdb_epi.signature.native_names import normalised_name_and_note

    if not raw.startswith("_Z"):
        scope = closure_scope(raw)
        return f"{normalised_name_and_note(scope)[0]}::{CLOSURE}" if scope else ""
    if CLOSURE_CODE not in raw[:MAX_SCOPE]:
        return ""
    at = 0
    for _ in range(MAX_LOCALS):
        at = raw.find("Z", at + 2, MAX_SCOPE)
        if at < 0:
            break
        name = local_name(raw, at)
        if name.endswith("{lambda}"):
            return f"{name}::operator()"
    return ""


RegionAt = Callable[[int], Region | None]


class Token(NamedTuple):
    """One logical frame.

    `drop` is the class tag of the drop set that holds it, None for an interesting frame.
    `cycle` is the period of a collapsed cycle that ends with this token, else 0. `coarse` is what
    the key `coarse` prints for it; "" for `text`. `module` is the path of the file that a native
    frame lies in; "" for none, or where nothing tells. `pc` is a place in the code of a function
    without a name, 0 where none is known.
    """

    text: str
    kind: str
    physical: bool
    drop_class: str | None
    cycle_period: int = 0
    coarse: str = ""
    module: str = ""
    pc: int = 0


class Tokens(NamedTuple):
    """The tokens of one stack, innermost first, and what was noticed on the way.

    `origins` has for each frame of the stack which tokens it became: none, or one or two places
    in `tokens` (several frames may become one token).
    """

    tokens: tuple[Token, ...]
    steps: tuple[str, ...]
    origins: tuple[tuple[int, ...], ...] = ()


def tokenise(stack: MergedStack, drops: DropSets, region_at: RegionAt) -> Tokens:
    """Return the logical frames of a stack; frames that name nothing are left out and noted."""
    tokeniser = _Tokeniser(drops, region_at)
    for frame in stack.frames[:MAX_FRAMES]:
        tokeniser.add(frame)
    if len(stack.frames) > MAX_FRAMES:
        tokeniser.steps.append(f"N56 frames: cut at {MAX_FRAMES} of {len(stack.frames)}")
    promote_inlined(tokeniser.tokens)
    return Tokens(
        tuple(tokeniser.tokens), tuple(dict.fromkeys(tokeniser.steps)), tuple(tokeniser.origins)
    )


class _Tokeniser:
    """The tokens so far. Names are normalised once: a recursion repeats them thousandfold."""

    def __init__(self, drops: DropSets, region_at: RegionAt) -> None:
        self.drops = drops
        self.region_at = region_at
        self.tokens: list[Token] = []
        self.steps: list[str] = []
        self.origins: list[tuple[int, ...]] = []
        self._invokes: dict[str, str] = {}
        self._role = ""  # of the last token
        self._closure: int | None = None  # the place of a closure without a scope
        self._return_offset = (
            0  # 1 for a frame that has called the one before it: its pc is after a call
        )

    def add(self, frame: MergedFrame) -> None:
        """Append what a frame of the stack becomes."""
        places = []
        if frame.native is not None:
            token = self._eval_loop_token(frame) or self._token_of_native_frame(frame.native)
            if token is not None:
                self._insert_closure(token, frame.native)
                places.append(self._append(token, cython_role(token, frame.native)))
            self._return_offset = 0 if frame.native.kind == "signal" else 1
        if frame.python is not None:
            python = self._token_of_python_frame(frame.python)
            if python is not None:
                places.append(self._append(python))
        self.origins.append(tuple(places))

    def _append(self, token: Token, role: str = "") -> int:
        """Append a token; return its place. `role` is what cython_role() says."""
        last = self.tokens[-1] if self.tokens else None
        unknown = token.text == ANONYMOUS_CODE or token.text.endswith(UNKNOWN_FUNCTION)
        if unknown and last is not None and last[:2] == token[:2]:
            self.steps.append(f"N31 frames: adjacent frames of {token.text} count as one")
            return len(self.tokens) - 1
        self._role, before = role, self._role
        if role and before and role != before and last is not None and last[:2] == token[:2]:
            self.steps.append(f"N38 frames: Cython's functions for {token.text} count as one")
            self.tokens[-1] = last._replace(physical=last.physical or token.physical)
            return len(self.tokens) - 1
        self.tokens.append(token)
        return len(self.tokens) - 1

    @memoized
    def _drop_class(self, name: str) -> str | None:
        return self.drops.native_drop_class(name)

    def _eval_loop_token(self, frame: MergedFrame) -> Token | None:
        """The bytecode loop of a stripped build has no name; its place on the stack is proven."""
        if frame.native is None or frame.native.function or not frame.evidence:
            return None
        drop = self._drop_class(EVAL_LOOP)
        return Token(EVAL_LOOP, NATIVE, True, drop, module=frame.native.module or "")

    def _token_of_native_frame(self, frame: NativeFrame) -> Token | None:
        if frame.kind == "sentinel":
            self.steps.append("N36 frames: the middle of the native stack was left out")
            return None
        if frame.kind == "signal":
            return Token(SIGNAL, NATIVE, True, "trampoline")
        name = (
            self._normalised_name(frame.function)
            if frame.function
            else self._name_without_symbol(frame)
        )
        if not name:
            return None
        drop = self._drop_class(name)
        pc = 0 if frame.function or not frame.pc else frame.pc - self._return_offset
        token = Token(name, NATIVE, not frame.inlined, drop, module=frame.module or "", pc=pc)
        # Name the closure that a debugger printed without its scope by who calls it (N11).
        raw = frame.function or ""
        if token.text == CLOSURE:
            self._closure = len(self.tokens)
        elif token.drop_class != STD_GLUE:
            self._closure = None
        elif self._closure is not None:
            scope = closure_scope(raw)
            if scope:
                closure = self.tokens[self._closure]
                text = signature_safe_text(f"{self._normalised_name(scope)}::{CLOSURE}")
                self.tokens[self._closure] = closure._replace(text=text)
                self._closure = None
        return token

    def _insert_closure(self, token: Token, frame: NativeFrame) -> None:
        """Put in the closure that a physical invoker calls, if it is no frame of its own (N39)."""
        if not token.physical or token.text not in INVOKERS or not frame.function:
            return
        last = self.tokens[-1].text if self.tokens else ""
        if last in INVOKERS or last == CLOSURE:
            return
        raw = frame.function
        if raw not in self._invokes:
            self._invokes[raw] = invoked_closure(raw)
        closure = self._invokes[raw]
        if closure and not last.startswith(closure):
            self.steps.append(
                f"N39 frames: {token.text} calls {closure}, which is no frame of its own"
            )
            drop = self._drop_class(closure)
            self.tokens.append(Token(closure, NATIVE, True, drop, module=token.module))

    @memoized
    def _normalised_name(self, function: str) -> str:
        from gdb_epi.signature.native_names import normalised_name_and_note

        name, note = normalised_name_and_note(function)
        if note:
            self.steps.append(f"name: {name}: {note}")
        return name

    def _name_without_symbol(self, frame: NativeFrame) -> str:
        if frame.module:
            return unnamed_function_token(frame.module)
        region = self.region_at(frame.pc)
        if region is not None and may_execute(region):
            return unnamed_function_token(region.path) if region.path else ANONYMOUS_CODE
        self.steps.append("N33 frames: a frame outside any executable mapping is never hashed")
        return ""

    def _token_of_python_frame(self, frame: PyFrame) -> Token | None:
        if frame.hole is not None or not (frame.qualname or frame.name):
            why = frame.hole or ""
            self.steps.append(f"N48 frames: a Python frame without a name is left out: {why}")
            return None
        name = python_name(frame)
        function = frame.name or (frame.qualname or "").rpartition(".")[2]
        drop = self.drops.python_drop_class(name, frame.filename, function)
        coarse = f"py:{plain_python_name(frame)}"
        return Token(f"py:{name}", PYTHON, True, drop, coarse=coarse)


def unnamed_function_token(path: str) -> str:
    """Return what stands for a function without a name of the file at a path (N30)."""
    return native_module_name(path) + UNKNOWN_FUNCTION


def cython_role(token: Token, frame: NativeFrame) -> str:
    """Return which of Cython's functions for one name this is: a cpdef function has three (N38)."""
    return (frame.function or "")[: len("__pyx_pw_")] if token.text.startswith("cy:") else ""


def promote_inlined(tokens: list[Token]) -> None:
    """Let the innermost interesting inlined frame of a frame of std-glue count as physical.

    std::function and the algorithms hold nothing but the closure that they call: -O0 calls it, -O2
    inlines it (N37).
    """
    first: int | None = None
    for position, token in enumerate(tokens):
        if not token.physical:
            if first is None and token.drop_class is None and token.kind == NATIVE:
                first = position
            continue
        if first is not None and token.drop_class == STD_GLUE:
            tokens[first] = tokens[first]._replace(physical=True)
        first = None


def cut_reraising_handler(tokens: Sequence[Token]) -> tuple[list[Token], bool]:
    """Cut a re-raising handler: all up to the innermost signal frame. Return what is left."""
    for position, token in enumerate(tokens):
        if token.text == SIGNAL:
            return list(tokens[position + 1 :]), True
    return list(tokens), False


def insert_asserting_function(tokens: Sequence[Token], name: str) -> list[Token]:
    """Return the tokens with the function that a failed assertion names as the first of interest.

    Where the compiler inlined it and no debug information tells, it is no frame of the stack.
    """
    plain = name.replace(TEMPLATE, "")
    for position, token in enumerate(tokens):
        if token.kind != NATIVE or token.drop_class is not None:
            continue
        if token.text.replace(TEMPLATE, "") == plain:
            changed = token._replace(physical=True, coarse=plain)
            return [*tokens[:position], changed, *tokens[position + 1 :]]
        break
    else:
        position = sum(token.kind == NATIVE for token in tokens)
    inner = [i for i, token in enumerate(tokens[:position]) if token.drop_class in ASSERT_CLASSES]
    at = inner[-1] + 1 if inner else 0
    added = Token(name, NATIVE, True, None, coarse=plain)
    return [*tokens[:at], added, *tokens[at:]]


def collapse_cycles(tokens: Sequence[Token], longest: int = MAX_PERIOD) -> list[Token]:
    """Collapse adjacent repeats of up to `longest` tokens to one copy, marked with its period.

    Two adjacent frames of one native function count as one without a mark: they may be a function
    and the part of it that the compiler split off (N38).
    """
    out: list[Token] = []
    at = 0
    keys = [(token.kind, token.text) for token in tokens]
    while at < len(tokens):
        period = _cycle_period_at(keys, at, longest)
        if not period:
            out.append(tokens[at])
            at += 1
            continue
        start, cycle = at, keys[at : at + period]
        while keys[at : at + period] == cycle:
            at += period
        if at - start == PAIR and cycle[0][0] == NATIVE and period == 1:
            both = tokens[start].physical or tokens[start + 1].physical
            out.append(tokens[start]._replace(physical=both))
            continue
        out += tokens[start : start + period - 1]
        out.append(tokens[start + period - 1]._replace(cycle_period=period))
    return out


def _cycle_period_at(keys: list[tuple[str, str]], at: int, longest: int) -> int:
    for period in range(1, longest + 1):
        if at + 2 * period > len(keys):
            return 0
        if keys[at] != keys[at + period]:
            continue
        if keys[at : at + period] == keys[at + period : at + 2 * period]:
            return period
    return 0


def rotate_overflow(tokens: Sequence[Token]) -> list[Token]:
    """Make the stack of a stack overflow independent of where in the recursion it ended.

    The frames inside the cycle are cut to the cycle, which then starts with its smallest name:
    how far the last turn came depends on the size of the environment and on ASLR.
    """
    for end, token in enumerate(tokens):
        if token.cycle_period:
            start = end - token.cycle_period + 1
            cycle = [turn._replace(cycle_period=0) for turn in tokens[start : end + 1]]
            first = min(_cycle_starts(cycle), key=lambda i: [t.text for t in cycle[i:] + cycle[:i]])
            cycle = cycle[first:] + cycle[:first]
            cycle[-1] = cycle[-1]._replace(cycle_period=token.cycle_period)
            return cycle
    return list(tokens)


def _cycle_starts(cycle: list[Token]) -> list[int]:
    """Return where a cycle may start: after a Python frame, so that C it calls comes first."""
    behind = [
        position
        for position, token in enumerate(cycle)
        if token.kind == NATIVE and cycle[position - 1].kind == PYTHON
    ]
    return behind or list(range(len(cycle)))


def format_stack_line(tokens: Sequence[Token]) -> str:
    """Return the printed form: " <- " for the caller, " <-- " where the language changes."""
    parts: list[str] = []
    previous: Token | None = None
    for token in tokens:
        if previous is not None:
            parts.append(" <-- " if previous.kind != token.kind else " <- ")
        parts.append(token.text + (f" ~{token.cycle_period}" if token.cycle_period else ""))
        previous = token
    return "".join(parts)
