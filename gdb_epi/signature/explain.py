# SPDX-License-Identifier: Apache-2.0
"""What each rule of SPEC.md did to each frame: `epi signature --explain`."""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.cpython.types import MergedFrame, PyFrame
from gdb_epi.errors import Absent
from gdb_epi.signature.drop_sets import COMPREHENSION, IMPORTLIB, THREAD_BASE, load_drop_sets
from gdb_epi.signature.names import signature_safe_text
from gdb_epi.signature.sign import SignedProcess
from gdb_epi.signature.tokens import EVAL_LOOP, SIGNAL, Token, Tokens, tokenise
from gdb_epi.target.api import NativeFrame
from gdb_epi.typing_lite import Any

MAX_SHOWN = 128  # frames that are explained, from the innermost on
_OTHER_HALF = {"native": "py", "python": "native"}  # with no frame in a key
_CLASS_RULES = {
    THREAD_BASE: "N51 left out of all keys but strict, and cut there from the outer end",
    IMPORTLIB: "N47 left out of every key",
    COMPREHENSION: "N45 left out of every key",
}


def explain_frames(signed: SignedProcess) -> list[dict[str, Any]]:
    """Return for each frame: `frame` (as it was), `rules` (what they did), `keys` (which hold it).

    Innermost first, at most MAX_SHOWN.
    """
    if signed.stack is None:
        return []
    tokens = tokenise(signed.stack, load_drop_sets(), signed.inputs.region_at)
    end = _reraise_cut_position(signed, tokens)
    held = {name: _frames_of_line(key.text) for name, key in signed.signature.keys.items()}
    return [
        _explain_frame(frame, [(place, tokens.tokens[place]) for place in places], end, held)
        for frame, places in zip(signed.stack.frames[:MAX_SHOWN], tokens.origins, strict=False)
    ]


def explanation_lines(explained: Sequence[dict[str, Any]]) -> list[str]:
    """Return the explanation as text."""
    out: list[str] = []
    for number, frame in enumerate(explained):
        out.append(f"#{number:<3} {frame['frame']}")
        out += [f"       {rule}" for rule in frame["rules"]]
        keys = ", ".join(frame["keys"])
        out.append(f"       in {keys}" if keys else "       in no key")
    return out


def _frames_of_line(line: str) -> frozenset[str]:
    """Return the frames of a key's line, without cycle marks."""
    content = line.replace(" <-- ", " <- ")
    parts = content.split(" <- ")
    parts[0] = parts[0].rpartition(" ")[2]
    return frozenset(part.split(" ~")[0] for part in parts) | _first_frame_of_line(line)


def _first_frame_of_line(line: str) -> frozenset[str]:
    """The first frame may carry a cycle mark, which the last blank then is part of."""
    words = line.split(" <- ")[0].split(" <-- ")[0].split(" ")
    return frozenset(word for word in words[2:] if not word.startswith("~"))


def _reraise_cut_position(signed: SignedProcess, tokens: Tokens) -> int:
    """Return the place of the signal frame up to which the frames of a re-raise are cut."""
    fault = signed.inputs.fault
    if isinstance(fault, Absent) or fault.origin != "signal-frame":
        return -1
    places = [place for place, token in enumerate(tokens.tokens) if token.text == SIGNAL]
    return places[0] if places else -1


def _explain_frame(
    frame: MergedFrame,
    tokens: Sequence[tuple[int, Token]],
    cut: int,
    held: dict[str, frozenset[str]],
) -> dict[str, Any]:
    rules: list[str] = []
    keys: list[str] = []
    if frame.native is not None:
        rules += _native_rules(frame, frame.native)
    if frame.python is not None:
        rules += _python_rules(frame.python)
    for place, token in tokens:
        if place <= cut:
            rules.append("N35 cut: it belongs to the handler that raised the signal again")
            continue
        rules += _token_rules(token)
        for name, texts in held.items():
            named = {token.text, token.coarse or token.text} & texts
            if named and token.kind != _OTHER_HALF.get(name):
                keys.append(name)
    if frame.native is not None and "exact" in held and not frame.native.inlined:
        build_id, offset = frame.native.build_id, frame.native.offset
        if build_id and offset is not None and f"{build_id[:16]}+{offset:#x}" in held["exact"]:
            keys.append("exact")
    return {"frame": _frame_text(frame), "rules": rules, "keys": sorted(set(keys))}


def _frame_text(frame: MergedFrame) -> str:
    if frame.python is not None:
        python = frame.python
        return f"Python {signature_safe_text(python.qualname or python.name or '?')}"
    if frame.native is None:
        return "?"
    native = frame.native
    where = (native.module or "").rsplit("/", 1)[-1] or "no file"
    kind = "inlined" if native.inlined else "native" if native.kind == "normal" else native.kind
    return f"{kind} {signature_safe_text(native.function or '?')} in {signature_safe_text(where)}"


def _native_rules(frame: MergedFrame, native: NativeFrame) -> list[str]:
    rules: list[str] = []
    if native.kind == "sentinel":
        return ["N36 the middle of the stack was left out: no frame"]
    if native.kind == "signal":
        return [f"N35 a signal frame: {SIGNAL}"]
    if native.inlined:
        rules.append("N37 inlined: counts in strict and stable, not in coarse and exact")
    if native.function:
        from gdb_epi.signature.native_names import normalise_with_rules

        rules += [f"{step.rule} {step.text}" for step in normalise_with_rules(native.function)[1]]
    elif frame.evidence:
        rules.append(f"N34 proven to be the bytecode loop ({frame.evidence}): {EVAL_LOOP}")
    elif native.module:
        rules.append("N30 no function is known: the module stands for it")
    else:
        rules.append("N32, N33 code outside any file, or no code at all")
    return rules


def _python_rules(python: PyFrame) -> list[str]:
    if python.hole is not None or not (python.qualname or python.name):
        return ["N48 no name: left out"]
    rules = ["N40 module and qualified name"]
    if python.module is None:
        rules.append("N43 the globals tell no __name__: the module comes from the file")
    if python.qualname is None:
        rules.append("N42 this CPython has no qualified names in code objects: the plain name")
    return rules


def _token_rules(token: Token) -> list[str]:
    if token.drop_class is None:
        return [f"= {token.text}"]
    rule = _CLASS_RULES.get(token.drop_class, "N52 only strict holds it")
    return [f"= {token.text}", f"dropped, class {token.drop_class}: {rule}"]
