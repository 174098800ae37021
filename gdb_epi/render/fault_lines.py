# SPDX-License-Identifier: Apache-2.0
"""Lines about the fault and the core: bad values, damage, machine, lost memory, what helps."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from itertools import takewhile

from gdb_epi.corruption.evidence import NO_FLIP, REFERS
from gdb_epi.lazy_pattern import LazyPattern
from gdb_epi.record.record_parts import (
    MISFIT,
    NOT_USED,
    READ_IN_PART,
    explaining_stack,
    get_group,
    get_groups,
    get_number,
    get_texts,
    unpadded_address,
)
from gdb_epi.render.category_words import CRASHES
from gdb_epi.render.escape import soft_error_words
from gdb_epi.render.frame_lines import calls_of_record, library_of_call
from gdb_epi.render.opening_sentences import is_core_read_in_part
from gdb_epi.sizes import signed_word
from gdb_epi.typing_lite import Any
from gdb_epi.util import add_article, counted, quoted_name

MAX_SHOWN = 2
MIN_MISSING = 5  # percent of the writable memory from which checks are limited
MAX_MISSING = 99  # percent beyond which nothing was checked
ORIGIN = "origin"  # the evidence that says where the bad word was read

Json = Mapping[str, Any]
MAX_NOTES = 4
MAX_FILES = 2  # that one line names
# What makes the whole answer unsure comes before what makes a detail unavailable.
_OTHERS = ("fork", "memory")  # stages that say nothing about a lost stack
_FIRST_STAGES = ("core", "python", "executable", "native frames")
ITS_FILES = "its files"
TYPE_IN_GDB = "; try: file "  # before what can only be typed in GDB
# What an origin says of a place: an object with a type, or an item of a list.
_READ_FROM = LazyPattern(r" (from|at) 0x[0-9a-f]{1,16}(?: too)?, (.+)\Z")
_OWNED = LazyPattern(rf" of type |\bitem \d|{REFERS}")
_OBJECT_HEAD = LazyPattern(r"the (reference count|type) of (an object .+)\Z")
_FIELD = LazyPattern(r"\A(\d{1,9}) bytes into (?=an object of type )")


def lines_of_variables_with_bad_address(signal: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each variable that `signal.named_values` names."""
    address = _bad_address(signal)
    named = get_groups(signal, "named_values")
    # A variable that equals the address says all; others near it would only distract.
    same = [value for value in named if value.get("how") in ("is", "indexed")]
    shown: dict[tuple[object, ...], Mapping[str, Any]] = {}
    for value in same or named:  # a value passed on by callers is shown once, where it was used
        shown.setdefault((value.get("name"), value.get("offset"), value.get("how")), value)
    for value in list(shown.values())[:MAX_SHOWN]:
        who = f"`{value.get('name')}` of {value.get('function')}"
        if value.get("lineno"):
            file = str(value.get("filename") or "").rpartition("/")[2]
            who += f" ({file}:{value['lineno']})" if file else f" (line {value['lineno']})"
        offset = value.get("offset") if isinstance(value.get("offset"), int) else 0
        if value.get("how") == "object":
            yield f"{who} refers to an object at the bad address; no object is there"
        elif value.get("how") == "indexed":
            yield f"{who} is the bad address"
        elif value.get("how") == "covers":
            place = f"{offset} bytes after its start" if offset else "at its start"
            kind = str(value.get("type") or "")
            what = "an array" if kind in ("", "numpy.ndarray") else add_article(kind)
            yield f"{who} is {what} with the bad address {place}; no memory is there"
        elif offset:
            base = "" if address is None else f" is {address - offset:#x};"
            yield f"{who}{base or ' is a pointer;'} the bad address lies {offset} bytes after it"
        elif address is None:
            yield f"{who} is the bad address"
        else:
            yield f"{who} is {signed_word(address)}, which is {address:#x}"


def gone_object_lines(record: Json) -> Iterator[str]:
    """Yield which variables refer to what is no object any more; why, where no damage tells it."""
    damaged = get_group(get_group(record, "verdict"), "damage").get("found")
    shown: dict[tuple[object, object], list[str]] = {}
    for group in get_groups(get_group(record, "signal"), "gone_objects"):
        names = shown.setdefault((group.get("function"), group.get("how")), [])
        kind = str(group.get("type") or "").rpartition(".")[2]
        names.append(f"`{group.get('name')}`{f' ({kind})' if kind else ''}")
    for (function, how), names in shown.items():
        if how == "no-object":
            verb, why = "refer to memory with no object", "freed too early, or overwritten"
        else:
            verb, why = "have a reference count of 0", "freed too early, or just being freed"
        if len(names) == 1:
            verb = verb.replace("refer to", "refers to").replace("have", "has")
        yield f"{', '.join(names)} of {function} {verb}" + ("" if damaged else f": {why}")


def failed_native_call_lines(signal: Mapping[str, Any]) -> Iterator[str]:
    """Yield "score(Pool, NULL) of libpool.so, by ctypes": what the failed function was given."""
    call = get_group(signal, "native_call")
    if call:
        given = get_groups(call, "arguments")
        types = [
            "NULL" if each.get("is_null") else str(each.get("type")).rpartition(".")[2]
            for each in given
        ]
        name = call.get("function") or "a function"
        by = ", by ctypes" if call.get("by") == "ctypes" else ""
        yield f"{name}({', '.join(types)}) of {call.get('file')}{by}"


def _bad_address(signal: Mapping[str, Any]) -> int | None:
    """Return the bad address: the kernel's, or that of the operand; None when it is redacted."""
    behind = get_group(signal, "behind_handler")
    for text in (
        behind.get("fault_address"),
        signal.get("fault_address"),
        get_group(signal, "operand").get("address"),
    ):
        try:
            number = int(str(text), 16)
        except ValueError:
            continue
        if number >= 1 << 16:
            return number
    return None


def bad_word_origin_lines(record: Json) -> Iterator[str]:
    """Yield where the bad word was read, in plain words, unless the answer says it already.

    A place whose owner has no name (a stack, a library) tells a stranger nothing.
    """
    reasons = " ".join(get_texts(get_group(record, "verdict"), "reasons"))
    for evidence in get_groups(get_group(record, "corruption"), "evidence"):
        if evidence.get("id") == ORIGIN:
            place = str(evidence.get("where")).removeprefix("0x").lstrip("0")
            summary = str(evidence.get("summary"))
            if not place or place not in reasons or REFERS in summary:
                # `Damage`, below, says whether a bit was flipped.
                read = _READ_FROM.search(summary.removesuffix(f"; {NO_FLIP}"))
                if read is None or not _OWNED.search(read[2]):
                    continue
                place = _FIELD.sub(r"the field at byte \1 of ", read[2])
                place = place.replace("in the collector's links of", "the GC header of")
                head = _OBJECT_HEAD.match(place)
                if head is not None and any(gone_object_lines(record)):
                    continue  # what lies there now tells less than whose it was
                if head is not None:  # no program keeps a pointer there: the memory was used again
                    yield f"the bad value was read where {head[2]} lies now ({head[1]})"
                    continue
                verb = "was read from" if read[1] != "at" else "also stands in"
                if place.startswith("in "):  # memory that is no object's
                    verb = verb.removesuffix(" from").removesuffix(" in")
                yield f"the bad value {verb} {place}"


def word_place_text(where: str) -> str:
    """Return where a word stands, for a reader: an address, a register, or where control went."""
    return "the address that was called" if where == "target" else where


def damage_lines(record: Json) -> Iterator[str]:
    """Yield the damaged word and its right value; where no cause is known, that none was found."""
    damage = get_group(get_group(record, "verdict"), "damage")
    where = str(damage.get("where") or "a place that is not known")
    reasons = get_texts(get_group(record, "verdict"), "reasons")
    software = get_group(record, "verdict").get("label") == "software"
    if damage.get("found") and not damage.get("bits") and not damage.get("should_be"):
        if not software:  # else the answer says that something was overwritten
            yield f"the word at {where} is wrong"
    elif not damage.get("found") and damage.get("confidence") is not None and software:
        yield "a sign of a flipped bit, too weak to go by beside what is said above"
    elif damage.get("found") or damage.get("confidence") is not None:
        weak = "" if damage.get("found") else "a sign of it, too weak to go by: "
        holds = f" holds {unpadded_address(damage.get('holds'))}" if damage.get("holds") else ""
        yield f"{weak}{word_place_text(where)}{holds}"
        if damage.get("should_be"):
            bits = damage["bits"] if isinstance(damage.get("bits"), list) else []
            differs = f"; {len(bits)} bits differ" if bits else ""
            if len(bits) == 1:
                differs = f"; only bit {bits[0]} differs"
            yield f"should be {unpadded_address(damage['should_be'])}{differs}"
        if damage.get("found") and reasons:
            yield f"why: {reasons[0]}"
    elif damage and not software and str(get_group(record, "signal").get("name")) in CRASHES:
        missing = get_group(get_group(record, "truncated"), "memory").get("missing_percent")
        missing = missing if isinstance(missing, (int, float)) else 0
        seen = ""
        if missing >= MIN_MISSING:
            seen = f" in the {100 - missing:.0f}% of the memory that is in the core"
        if missing > MAX_MISSING:
            yield "cannot tell: the memory is not in the core"
        elif damage.get("judged") is False:
            machine = get_group(record, "hardware").get("platform") or "its machine"
            yield f"not judged on this architecture ({machine})"
        else:
            yield f"none found{seen}"


def host_and_cpu_text(record: Json) -> str:
    """Return which computer and CPU it was, as far as the core or a sidecar says."""
    hardware, host = get_group(record, "hardware"), get_group(record, "host")
    words = [str(host["hostname"]) if host.get("hostname") else "host name not known"]
    number = get_group(record, "cpu").get("number")
    if number is not None:
        words.append(f"last ran on CPU {number}")
    if hardware.get("vendor"):
        model = f"{str(hardware['vendor']).upper()} family {hardware.get('family')}"
        words.append(f"{model} model {hardware.get('model')}")
    if hardware.get("hypervisor"):
        words.append("a virtual machine")
    return ", ".join(words)


def raised_exception_lines(record: Json) -> Iterator[str]:
    """Yield what the crashed thread had raised, and where it came from."""
    raised = get_group(record, "exception")
    if not raised.get("type") or _is_exception_handled_by_library(record, raised):
        return
    states = {"handled": "being handled", "reported": "uncaught and being reported"}
    state = states.get(str(raised.get("state")), "on its way up")
    thread = get_group(get_group(record, "threads"), "crashed")
    if thread.get("tid") != explaining_stack(record).get("tid"):  # another one's stack is shown
        state += f" in {quoted_name(thread.get('name')) or 'the first thread'}"
    place = get_group(raised, "raised_at")
    if place.get("name"):
        file = str(place.get("filename")).rpartition("/")[2]
        state += f", raised in {place['name']} ({file}:{place.get('lineno')})"
    if raised.get("raised_from"):
        state += f", after {raised['raised_from']}"
    yield f"{raised['type']}{_errno_words(raised.get('errno'))}, {state}"


def _is_exception_handled_by_library(record: Json, raised: Json) -> bool:
    """Tell whether a function of a library that runs had raised this, and handles it itself.

    It is how Pool.imap() and others go on, and says nothing of a process that did not crash.
    """
    place = get_group(raised, "raised_at")
    if raised.get("state") != "handled" or get_group(record, "signal").get("name") in CRASHES:
        return False
    frames = filter(is_python_frame, get_groups(explaining_stack(record), "frames"))
    inner = takewhile(library_of_call, calls_of_record([*frames]))
    here = str(place.get("filename")), str(place.get("name"))
    return any((c.filename, c.name.rpartition(".")[2]) == here for c in inner)


def _errno_words(number: object) -> str:
    """Return what a number of the system means: it is the same on x86-64 and aarch64."""
    if not isinstance(number, int):
        return ""
    name = errno.errorcode.get(number)
    return f" ({name}: {os.strerror(number)})" if name else f" (errno {number})"


_SHORT_FILE = "the headers announce"  # beginning of the reason when a core's end is missing


def cut_off_words(truncated: Json, *, read_in_part: bool = False) -> str:
    """Return how much of the core is missing, which is unknown if the headers are cut off."""
    lost, reason = get_number(truncated, "missing_bytes"), str(truncated.get("reason"))
    if lost < 2:
        return f"most of the core: {reason}"
    unit, name = (1e6, "MB") if lost >= 1e6 else (1e3, "kB") if lost >= 1e3 else (1, "bytes")
    # The number of bytes that the headers announce says no more than the number missing.
    why = "its end was cut off" if reason.startswith(_SHORT_FILE) else reason
    why = "not read (--prefix)" if read_in_part else why
    return f"{lost / unit:,.3g} {name} of the core: {why}"


def missing_memory_words(memory: Json) -> list[str]:
    """Return the share of writable memory that the core lacks, and the threads without stacks."""
    if not memory:
        return []
    named = list(dict.fromkeys(f"{m.get('what')}" for m in get_groups(memory, "mappings")[:2]))
    most = f", most of it {', '.join(named)}" if named else ""
    percent = memory.get("missing_percent")
    texts = [f"{percent}% of the writable memory{most}"] if percent else []
    stacks = memory.get("stacks")
    if isinstance(stacks, list) and stacks:
        shown = ", ".join(map(str, stacks[:8])) + (", ..." if len(stacks) > 8 else "")
        texts.append(f"parts of the C stacks of {counted(len(stacks), 'thread')} ({shown})")
    return texts


_HEX = frozenset("0123456789abcdef")


def text_in_place_of_return_address(end: str) -> str:
    """Return the text in the address of "no code at 0x...", at which a walk of frames ended."""
    from gdb_epi.fault.word_shapes import ascii_text_shape

    digits = end.partition("no code at 0x")[2]
    if not 0 < len(digits) <= 16 or not _HEX.issuperset(digits):
        return ""  # a record may hold any text there
    address = int(digits, 16)
    if ascii_text_shape(address) is None:
        return ""
    raw = address.to_bytes(8, "little").rstrip(b"\0")
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in raw)


def is_python_frame(frame: Json) -> bool:
    """Tell whether a frame of a record is one of Python code."""
    return bool(frame.get("language", "python") == "python")


def describe_missing_parts(record: Json, *, in_gdb: bool, whole: bool) -> tuple[list[str], int]:
    """Return what is missing from the answer, the most important first; the number of others."""
    truncated = get_group(record, "truncated")
    cut = bool(truncated.get("flag"))
    in_part = is_core_read_in_part(record)
    texts = [cut_off_words(truncated, read_in_part=in_part)] if cut else []
    memory = missing_memory_words(get_group(truncated, "memory"))
    texts += memory
    # If the core was cut off before its threads, everything else follows from that.
    nothing_left = bool(texts) and get_group(record, "threads").get("count") == 0
    frames = get_groups(explaining_stack(record), "frames")
    python = any(map(is_python_frame, frames))
    if cut and not python and not nothing_left and get_group(record, "python").get("version"):
        texts.append("the Python calls of this thread, if there were any")
    absent = get_group(get_group(record, "signature"), "absent")
    names = _why_c_functions_have_no_names(record, absent, in_gdb=in_gdb)
    stack_lost = get_group(truncated, "memory").get("stacks") and "is not in the core" in names
    refused = cut and "is not a core dump" in names  # by GDB, whatever is left of it
    if names and not nothing_left and not stack_lost and not refused:
        texts.append(f"names of C functions: {names}")
    errors = [
        _without_advice_for_gdb(error, in_gdb=in_gdb) for error in get_groups(record, "soft_errors")
    ]
    errors.sort(key=lambda error: error.get("stage") not in _FIRST_STAGES)
    lost = not frames and not cut  # what was cut off explains all the rest
    stages = [e.get("stage") for e in errors if lost and e.get("stage") not in _OTHERS]
    stages += _FIRST_STAGES
    matter = [e for e in errors if e.get("stage") in stages or _is_refused_host_or_time_source(e)]
    if not whole:
        # Missing memory or files explain the ends of stacks; a cut core explains those of Python.
        ends = [e for e in errors if e.get("stage") in ("merge", "native")]
        end = str(ends[-1].get("message")).rpartition(": ")[2] if ends else ""
        text = text_in_place_of_return_address(end)
        if text or (ends and not memory and not names):
            which = "some C calls between the Python calls" if python else "the outer calls of C"
            written = f' (in place of a return address stands text, "{text}")'
            file = file_where_stack_ends(record)
            beyond = f": the stack ends in {file}, and that file may not be here" if file else ""
            harmless = f"{beyond}; this alone is no sign of damage"
            texts.append(which + (written if text else harmless))
        follows = ends + [
            error
            for error in errors
            if (cut and (error.get("stage") == "python" or error.get("subject") == "core_key"))
            or str(error.get("message")).startswith("truncated: ")
            or (cut and "is not a core dump" in str(error.get("message")))
            or (in_part and READ_IN_PART in str(error.get("message")))
        ]
        matter = [error for error in matter if error not in follows]
        above = " ".join(texts)
        errors = [e for e in errors if e not in ends and str(e.get("message")) not in above]
    matter = [] if nothing_left else [error for error in matter if error in errors]
    shown = errors if whole else matter[:MAX_NOTES]
    texts += [soft_error_words(e.get("subject"), e.get("message")) for e in shown]
    return list(dict.fromkeys(texts)), len(errors) - len(shown)


def _is_refused_host_or_time_source(error: Json) -> bool:
    """Whether a source of host or time was refused, which its user must learn."""
    message = str(error.get("message"))
    return error.get("stage") == "sidecar" and message.startswith((NOT_USED, MISFIT))


def _without_advice_for_gdb(error: Json, *, in_gdb: bool) -> Json:
    """Return what could not be had without what only GDB can be told."""
    message = str(error.get("message"))
    return error if in_gdb else {**error, "message": message.partition(TYPE_IN_GDB)[0]}


def _why_c_functions_have_no_names(record: Json, absent: Json, *, in_gdb: bool) -> str:
    """Return why C functions have no names: the missing files, or another reason."""
    files = files_of_unnamed_functions(record)
    if lacks_native_half_for_want_of_files(absent):
        return "needs " + (files if files and files != ITS_FILES else "files of the process")
    if files:
        return f"needs {files}; the file here is of another build, or gone"
    text = str(absent.get("native") or "").replace(
        "the native stack is not plausible", "the C part of the stack is damaged"
    )
    return text if in_gdb else text.partition(TYPE_IN_GDB)[0]


def lacks_native_half_for_want_of_files(absent: Json) -> bool:
    """Whether there is no native half of a signature as the files were not at hand."""
    from gdb_epi.signature.types import LACKS_FILES

    return absent.get("native") in LACKS_FILES


def files_of_unnamed_functions(record: Json) -> str:
    """Return the words for the files that lack, whose functions have no name on the stack.

    Of one that is here in another build the function that failed has no name, and no code to tell
    it by. Empty when nameless code lies in no file, as that of a JIT compiler.
    """
    from gdb_epi.signature.types import CODE_NOT_HERE

    absent = get_group(get_group(record, "signature"), "absent")
    if lacks_native_half_for_want_of_files(absent):
        return _files_of_unnamed_functions_words(record)
    if absent.get("code") != CODE_NOT_HERE:
        return ""
    return _files_of_unnamed_functions_words(record).partition("; ")[0].removesuffix(ITS_FILES)


def file_where_stack_ends(record: Json) -> str:
    """Return the words for the file of the last C call, where it has no name and the stack ends.

    Without that file its caller is not found; whether it is here no record says. Empty otherwise.
    """
    errors = get_groups(record, "soft_errors")
    if not any(error.get("stage") == "native" for error in errors):
        return ""
    frames = get_groups(get_group(get_group(record, "threads"), "crashed"), "frames")
    last = [frame for frame in frames if frame.get("language") == "native"][-1:]
    if not last or last[0].get("function") or not last[0].get("module"):
        return ""
    build = last[0].get("build_id")
    return f"{last[0]['module']}, build-id {build}" if build else str(last[0]["module"])


def _files_of_unnamed_functions_words(record: Json) -> str:
    frames = get_groups(get_group(get_group(record, "threads"), "crashed"), "frames")
    native = [f for f in frames if f.get("language") == "native"]
    builds = {f.get("module"): f.get("build_id") for f in native if not f.get("function")}
    named = [
        f"{name}, build-id {build}" if build else str(name)
        for name, build in builds.items()
        if name
    ]
    if named:
        return "; ".join(named[:MAX_FILES])
    return "" if native else ITS_FILES
