# SPDX-License-Identifier: Apache-2.0
"""From the frames in a record to its keys, by the rules of this version.

The category is that of the record, under the name that it has now (categories.py): what decided it
(siginfo, registers, mappings) is not in the frames. A key that stored frames cannot give stays as
it was within a version; in a new version it is absent with the reason, because keys of two versions
never stand side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.cpython.types import MergedFrame, MergedStack, PyFrame
from gdb_epi.fault import signals
from gdb_epi.fault.fault_site import MISALIGNED, PRIVILEGED
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.memory_reads import NULL_PAGE
from gdb_epi.fault.signals import signal_name
from gdb_epi.record.record_parts import get_group, get_groups
from gdb_epi.signature import keys as k
from gdb_epi.signature.categories.types import category_family
from gdb_epi.signature.drop_sets import load_drop_sets
from gdb_epi.signature.keys import (
    CIRCLE,
    drop_library_wait_tokens,
    hang_key_content,
    hang_key_parts_of_record,
)
from gdb_epi.signature.sign import ASSERTION, NOT_ITS_FAULT, asserting_token
from gdb_epi.signature.tokens import (
    Token,
    cut_reraising_handler,
    insert_asserting_function,
    tokenise,
)
from gdb_epi.target.api import NativeFrame, Region
from gdb_epi.textstacks.partial_keys import (
    OVERFLOW,
    STACK_KEYS,
    UNKNOWN,
    Contents,
    MissingKey,
    WhyHalvesAreMissing,
    key_of_contents,
    partial_key_contents,
)
from gdb_epi.typing_lite import Any, NamedTuple

# -- The category of a stored record by this version's rules, as far as the record tells -----------
#
# What was `unknown` in gsig/1 has names in gsig/2, and a call to a low address another one
# (SPEC.md 9). Signal, sender and the kind of the fault are stored; the mapping table is not: an
# access in a large guard keeps the category that it had.

BEFORE = ("gsig/1",)  # whose categories had other names
_BY_KIND = {MISALIGNED: "segv-misaligned", PRIVILEGED: "segv-privileged"}
_BY_CODE = {signals.SEGV_PKUERR: "segv-protection-key", signals.SEGV_CPERR: "segv-shadow-stack"}

Record = Mapping[str, Any]


def recompute_category(record: Record, category: str, version: str) -> str:
    """Return the category of a record that was signed by an earlier version."""
    if version not in BEFORE:
        return category
    signal = get_group(record, "signal")
    sender = str(signal.get("sender"))
    behind = get_group(signal, "behind_handler")
    fault = behind or signal
    signo, code = fault.get("signo"), fault.get("si_code")
    if behind:
        sender = "kernel"
    if category == "segv-exec":
        address = _fault_address(fault)
        low = address is not None and NULL_PAGE <= address < NEAR_NULL
        return "segv-near-null" if low else category
    if category == "bus-adrerr":
        return "segv-misaligned" if code == signals.BUS_ADRALN else category
    if category == "killed-external":
        return "limit:cpu" if signo == signals.SIGXCPU and sender == "kernel" else category
    if category == "segv-wild" and signo == signals.SIGSEGV and code in _BY_CODE:
        return _BY_CODE[code]
    return _category_of_unknown(record, signo, code, sender) if category == "unknown" else category


def _category_of_unknown(record: Record, signo: object, code: object, sender: str) -> str:
    if sender == "self" and isinstance(signo, int) and signo != signals.SIGABRT:
        return "limit:file-size" if signo == signals.SIGXFSZ else f"raised:{signal_name(signo)}"
    if sender != "kernel":
        return "unknown"
    if signo == signals.SIGSYS and code == signals.SYS_SECCOMP:
        return "seccomp"
    if signo in (signals.SIGSEGV, signals.SIGBUS) and code == signals.SI_KERNEL:
        kind = get_group(record, "facts").get("fault_kind")
        return _BY_KIND.get(str(kind), "segv-protection")
    return "unknown"


def _fault_address(fault: Record) -> int | None:
    try:
        return int(str(fault.get("fault_address")), 16)
    except ValueError:
        return None


# -- From the frames in a record to its keys, by the rules of this version -------------------------

GROUP_ORDER = ("stable", "python", "native", "exact")  # SPEC.md: what a fleet groups by
ALL_KEYS = ("exact", *STACK_KEYS)
NATIVE_KEYS = ("strict", "stable", "coarse", "native", "code")  # of which native frames are a part
CORRUPT = "corrupt-stack"
# Their names do not tell the family: siginfo gave it, and the old line of `python` has it.
WITHOUT_FAMILY = (CORRUPT, "unknown")
ANONYMOUS_PC = 1  # of each stored frame in executable memory of no file
ANONYMOUS_CODE = Region(ANONYMOUS_PC, ANONYMOUS_PC + 1, "r-x", None, 0, 0)
BEFORE_HANGS = ("gsig/1",)  # whose records do not hold what a hang's keys are made of
HANG_KEYS = ("stable", "coarse", "python", "code")
NO_HANG = "the record does not say what the threads waited for, and the keys are now made from that"
# Reasons for which no such core ever has the key; the record lacks nothing.
NEVER_MADE = (k.HAS_NAME, k.NO_NATIVE_FRAME, k.NO_FILE, k.IN_RECURSION)
MAX_PREVIOUS = 8  # older signatures that a record keeps
NOT_STORED = "the record does not hold the native frames of the thread that was signed"
NO_ASSERTION = "the record does not hold which function the failed assertion names"
CUT = "the record holds only the innermost frames of a deep stack"
NO_FAMILY = "the record does not tell what signal family this is"

Json = dict[str, Any]


class ResignedSignature(NamedTuple):
    """The signature made anew; `signature` is None when nothing changes.

    `unable` says about keys that the stored frames cannot give, why.
    """

    signature: Json | None
    changed: tuple[str, ...]
    unable: Mapping[str, str]


def resign(record: Mapping[str, Any]) -> ResignedSignature:
    """Return the signature of a record by the rules of this version, from its stored frames."""
    old = get_group(record, "signature")
    if not old.get("version") or not isinstance(old.get("category"), str):
        return ResignedSignature(None, (), {"*": "the record has no signature"})
    stored = _StackInRecord(record, old)
    names = stored.make_keys()
    unable = {
        name: key.why
        for name, key in names.items()
        if isinstance(key, MissingKey) and key.why not in NEVER_MADE
    }
    same_version = old["version"] == k.VERSION
    new = _new_signature(old, names, same_version=same_version)
    new["category"] = stored.category
    before, after = get_group(old, "keys"), get_group(new, "keys")
    changed = tuple(name for name in ALL_KEYS if before.get(name) != after.get(name))
    if not changed and same_version:
        return ResignedSignature(None, (), unable)
    if not same_version:
        earlier = old.get("previous")
        kept = list(earlier) if isinstance(earlier, list) else []
        this = {name: old[name] for name in ("version", "keys", "text") if name in old}
        new["previous"] = [this, *kept][:MAX_PREVIOUS]
    return ResignedSignature(new, changed, unable)


class _StackInRecord:
    """The stack that a record holds of the thread that was signed."""

    def __init__(self, record: Mapping[str, Any], old: Mapping[str, Any]) -> None:
        threads = get_group(record, "threads")
        crashed = get_group(threads, "crashed")
        tid = get_group(old, "thread").get("tid")
        self.old = old
        was = str(old["category"])
        self.category = recompute_category(record, was, str(old["version"]))
        self.family = (
            _category_without_stack(old, was)
            if was == self.category
            else category_family(self.category)
        )
        self.function = _non_empty_text(old.get("assertion"))
        self.function_code = _non_empty_text(get_group(record, "facts").get("function_code")) or ""
        merged = (crashed, get_group(threads, "signed"))
        whole = next((s for s in merged if s.get("tid") == tid and s.get("frames")), None)
        of_thread = next((s for s in get_groups(threads, "stacks") if s.get("tid") == tid), {})
        source = whole or of_thread
        self.frames = [_stored_frame(f) for f in get_groups(source, "frames")]
        self.missing_end = CUT if source.get("frames_left_out") else ""
        self.cut_at_handler = "behind_handler" in get_group(record, "signal")
        self.halves = WhyHalvesAreMissing(self._why_no_native(whole), self._why_no_python(record))

    def _why_no_native(self, merged: Mapping[str, Any] | None) -> str:
        if not self.old.get("native"):
            reason = get_group(self.old, "absent").get("native")
            return str(reason or "the record has no native stack")
        if merged is None or merged.get("native") == "absent":
            return NOT_STORED
        return ""

    def _why_no_python(self, record: Mapping[str, Any]) -> str:
        lost = (e for e in get_groups(record, "soft_errors") if e.get("stage") == "python")
        error = next(lost, None)
        if record.get("python") or error is None:
            return ""
        return str(error.get("message"))

    def make_keys(self) -> dict[str, k.Key | MissingKey]:
        """Return every key, or why the record cannot give it."""
        if not self.frames:
            return dict.fromkeys(ALL_KEYS, MissingKey("the record holds no frame of this thread"))
        overflow = self.family == OVERFLOW
        stack = MergedStack(None, tuple(self.frames), None)
        tokens = list(tokenise(stack, load_drop_sets(), _region_of_stored_frame).tokens)
        tokens = cut_reraising_handler(tokens)[0] if self.cut_at_handler else tokens
        tokens = (
            insert_asserting_function(tokens, asserting_token(self.function))
            if self.function
            else tokens
        )
        contents = partial_key_contents(
            tokens,
            self.halves,
            self.missing_end,
            overflow=overflow,
            function_code=self.function_code,
        )
        contents |= self._hang_key_contents(tokens)
        made = {name: key_of_contents(name, contents[name], self.category) for name in STACK_KEYS}
        if self.category == ASSERTION and "assertion" not in self.old:
            made |= dict.fromkeys(NATIVE_KEYS, MissingKey(NO_ASSERTION))
        made["python"] = self._python_key(contents["python"])
        made["exact"] = self._exact_key(overflow=overflow)
        return self._keys_of_corrupt_stack(made) if self.category == CORRUPT else made

    def _hang_key_contents(self, tokens: Sequence[Token]) -> Contents:
        """Return the keys of a process that did not fail by itself, which say what it did (N70)."""
        if self.category not in NOT_ITS_FAULT:
            return {}
        words = hang_key_parts_of_record(self.old.get("hang"))
        if words is None:
            if str(self.old["version"]) in BEFORE_HANGS:
                return dict.fromkeys(HANG_KEYS, MissingKey(NO_HANG))
            return {}
        own = drop_library_wait_tokens(words, tokens)
        code = self.function_code
        made = partial_key_contents(
            own, self.halves, self.missing_end, overflow=False, function_code=code
        )
        contents: Contents = {}
        for name in HANG_KEYS:
            words_of_key = made[name]
            if isinstance(words_of_key, str):
                coarse = name in ("coarse", "code")
                words_of_key = hang_key_content(words, words_of_key, coarse=coarse)
            contents[name] = words_of_key
        if words.word == CIRCLE:
            contents["code"] = MissingKey(k.NO_NATIVE_FRAME)
        return contents

    def _python_key(self, words: str | MissingKey) -> k.Key | MissingKey:
        """Return the key `python`, which holds the family instead of the category."""
        if self.family is None and isinstance(words, str):
            return MissingKey(NO_FAMILY)
        return key_of_contents("python", words, self.family or "")

    def _exact_key(self, *, overflow: bool) -> k.Key | MissingKey:
        if self.halves.native:
            return MissingKey(self.halves.native)
        key = k.exact_key([f.native for f in self.frames if f.native], overflow=overflow)
        if isinstance(key, str):
            return MissingKey(key)
        if self.missing_end and (overflow or key.text.count(" <- ") + 1 < k.MAX_EXACT):
            return MissingKey(CUT)
        return key

    def _keys_of_corrupt_stack(
        self, made: dict[str, k.Key | MissingKey]
    ) -> dict[str, k.Key | MissingKey]:
        """Keys of a corrupt stack rest on mappings: what their line says is kept."""
        texts = get_group(self.old, "text")
        for name in ("stable", "coarse"):
            words = str(texts.get(name, "")).split(" ", 2)
            complete = len(words) == 3
            made[name] = k.make_key(name, words[2]) if complete else MissingKey("no line is stored")
        for name in ("strict", "native", "code"):
            made[name] = MissingKey("the native stack is not plausible")
        return made


def _category_without_stack(old: Mapping[str, Any], category: str) -> str | None:
    """Return the part of the category that needs no stack; None when nothing tells."""
    words = str(get_group(old, "text").get("python", "")).split(" ", 3)
    if len(words) == 4:
        return words[2]
    return None if category in WITHOUT_FAMILY else category_family(category)


def _new_signature(
    old: Mapping[str, Any], made: Mapping[str, k.Key | MissingKey], *, same_version: bool
) -> Json:
    keys, text = dict(get_group(old, "keys")), dict(get_group(old, "text"))
    absent = dict(get_group(old, "absent"))
    for name, key in made.items():
        if isinstance(key, k.Key):
            keys[name], text[name] = key.value, key.text
            absent.pop(name, None)
        elif not same_version:
            keys.pop(name, None)
            text.pop(name, None)
            absent[name] = key.why
    new = {**old, "version": k.VERSION, "keys": keys, "text": text, "absent": absent}
    new.pop("group", None)
    group = next((name for name in GROUP_ORDER if name in keys), None)
    if group is not None:
        new["group"] = {"key": group, "value": keys[group]}
    if not same_version:
        new.pop("secondary", None)  # its frames are not stored
    return new


def _stored_frame(frame: Mapping[str, Any]) -> MergedFrame:
    """Return a stored frame; an absent member means what is usual (SCHEMA.md)."""
    module, name = _non_empty_text(frame.get("module")), _non_empty_text(frame.get("name")) or ""
    if frame.get("language", "python") == "python":
        python = PyFrame(
            address=0,
            code=0,
            name=name,
            qualname=_non_empty_text(frame.get("qualname")) or name or None,
            filename=_non_empty_text(frame.get("filename")) or "",
            lineno=None,
            module=module,
            owner="unknown",
            provenance="stored",
            is_entry=False,
            hole=_non_empty_text(frame.get("hole")),
        )
        return MergedFrame(None, python, str(frame.get("placed_by") or ""))
    function, offset, code = (
        _non_empty_text(frame.get("function")),
        frame.get("offset"),
        frame.get("code"),
    )
    native = NativeFrame(
        ANONYMOUS_PC if code == "anonymous" else 0,
        0,
        function,
        # Records of before `code` do not tell whether memory of no file was executable.
        module or (None if function or code else UNKNOWN),
        build_id=_non_empty_text(frame.get("build_id")),
        offset=offset if isinstance(offset, int) else None,
        inlined=frame.get("inlined") is True,
        kind=str(frame.get("kind") or "normal"),
    )
    return MergedFrame(native, None, "stored" if frame.get("eval_loop") else "")


def _region_of_stored_frame(pc: int) -> Region | None:
    """Stand in for the mappings of the process: a frame in memory of no file ran there, or not."""
    return ANONYMOUS_CODE if pc == ANONYMOUS_PC else None


def _non_empty_text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
