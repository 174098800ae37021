# SPDX-License-Identifier: Apache-2.0
"""The category of a crash: a closed, ordered list of rules; the first one that matches wins.

SPEC.md section 3 is normative. Each rule returns its evidence as a sentence, or None. A rule that
cannot decide (no native stack, bytes absent) says so in the steps, and no later rule of the same
family may then claim the remainder as its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise

from gdb_epi.errors import NOT_APPLICABLE, Absent
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.account import (
    ACCESS,
    BUS,
    CPU_LIMIT,
    FILE_SIZE_LIMIT,
    MEMORY_ERROR,
    PROTECTION,
    PROTECTION_KEY,
    RAISED,
    REFUSED_CALL,
    SHADOW_STACK,
    TRANSFER,
    UNEXPLAINED,
    FaultAccount,
)
from gdb_epi.fault.address_place import GUARD, LOW, NON_CANONICAL, NULL, NULL_BASE, STACK_ENDED
from gdb_epi.fault.cxx_exception import evidence_of_terminate
from gdb_epi.fault.fault_site import ARITHMETIC, ILLEGAL, MISALIGNED, PRIVILEGED, TRANSFERS, TRAPPED
from gdb_epi.fault.find_fault import ELSEWHERE, OTHER, PROCESS, Fault
from gdb_epi.fault.mapping_checks import NEAR_NULL, is_canonical, user_space_end
from gdb_epi.fault.memory_reads import NULL_PAGE, read_word
from gdb_epi.fault.signals import SIGABRT, SIGBUS, SIGSEGV, signal_name
from gdb_epi.signature.categories.types import (
    Answer,
    Category,
    CategoryInput,
    Rule,
    RuleMatch,
    RuleUndecided,
    category_family,
)
from gdb_epi.signature.names import signature_safe_text
from gdb_epi.sizes import WORD
from gdb_epi.target.api import NativeFrame

# -- Categories of faults that the kernel raised: a table over the account of the fault ------------
#
# The account (`fault/account.py`) rests on siginfo, registers and the mapping table, and on
# dumped stack bytes, so that two machines agree; of a protection fault, for which the kernel
# tells no address, also on the faulting instruction where it can be read: a left-over number in
# another register is no cause.

_FPE_CODES = {1: "integer division by zero", 2: "integer overflow", 3: "floating-point division"}
# What a transfer went to, or an access failed on, and the category of each; "segv-wild" for others.
TRANSFERRED = {NON_CANONICAL: "segv-noncanonical", NULL: "segv-null", LOW: "segv-near-null"}
ACCESSES = {
    **TRANSFERRED,
    STACK_ENDED: "segv-stack-overflow",
    NULL_BASE: "segv-near-null",
    GUARD: "segv-guard",
}
_HLT = b"\xf4"  # musl 1.2 arch/x86_64/atomic_arch.h (a_crash), src/env/__stack_chk_fail.c


def stack_overflow(_: CategoryInput, account: FaultAccount) -> Answer:
    """The stack ended: the access lies below it, in its guard, or in one too large frame."""
    if account.place.kind != STACK_ENDED:
        return None
    stack, address = account.place.region, account.address
    assert stack is not None and address is not None
    pointer = account.fault.architecture.sp
    if account.place.large:
        return RuleMatch(
            "segv-stack-overflow",
            f"{pointer} {account.fault.sp:#018x} is {stack.start - account.fault.sp} bytes below "
            f"the stack mapping {stack.start:#018x}-{stack.end:#018x}, and the access between: one "
            "frame is too large",
        )
    return RuleMatch(
        "segv-stack-overflow",
        f"the fault address {address:#018x} is {account.place.distance} bytes below the stack "
        f"mapping {stack.start:#018x}-{stack.end:#018x} and {pointer} is "
        f"{account.fault.sp:#018x}",
    )


def return_to_null(inputs: CategoryInput, account: FaultAccount) -> Answer:
    """A return popped 0: the slot below rsp is 0 and no call just pushed a return address.

    After a call through a NULL pointer the word at rsp is a return address, so that case stays
    with segv-null. Only dumped stack words decide.
    """
    if not account.returned_to_null:
        return None
    sp, machine = account.fault.sp, account.fault.architecture
    if machine.link is not None:
        return RuleMatch(
            "return-to-null", f"{machine.pc} is 0, and so is {machine.link}, the way back"
        )
    top = read_word(inputs.target, sp)
    at_top = "not in the core" if top is None else f"{top:#018x}, no code address"
    return RuleMatch(
        "return-to-null",
        f"rip is 0, the popped slot at {sp - WORD:#018x} is 0 and the word at rsp is {at_top}",
    )


def misaligned_sp(_: CategoryInput, account: FaultAccount) -> Answer:
    """rsp is no multiple of 8, which compiled code never makes."""
    fault = account.fault
    if not fault.is_hardware_trap or fault.signo not in (SIGSEGV, SIGBUS) or fault.sp % WORD == 0:
        return None
    what = fault.architecture.sp
    return RuleMatch("misaligned-sp", f"{what} {fault.sp:#018x} is no multiple of 8")


def protection_fault_unread_instruction(inputs: CategoryInput, account: FaultAccount) -> Answer:
    """A protection fault whose instruction cannot be read, with a register that is no address."""
    fault, site = account.fault, account.site
    if account.how != PROTECTION or (site.instruction is not None and site.operand is None):
        return None
    values = _register_values(fault, fault.architecture.general)
    word = read_word(inputs.target, fault.sp)
    if word is not None:
        values["the word at rsp"] = word
    odd = _noncanonical_registers(inputs, fault, values)
    return _noncanonical_match(odd) if odd else None


def _register_values(fault: Fault, names: Iterable[str]) -> dict[str, int]:
    return {name: fault.registers[name] for name in names if name in fault.registers}


def _noncanonical_registers(
    inputs: CategoryInput, fault: Fault, values: dict[str, int]
) -> dict[str, int]:
    top = user_space_end(inputs.target, fault)
    return {name: value for name, value in values.items() if not is_canonical(value, top)}


def _noncanonical_match(odd: dict[str, int]) -> RuleMatch:
    words = ", ".join(f"{name} = {value:#018x}" for name, value in list(odd.items())[:3])
    return RuleMatch(
        "segv-noncanonical",
        f"SI_KERNEL without an address (general protection fault) and {words} not canonical",
    )


def failed_access(inputs: CategoryInput, account: FaultAccount) -> Answer:
    """An access or a transfer failed: what lies at its address decides."""
    if account.how == TRANSFER:
        name = TRANSFERRED.get(account.place.kind, "segv-exec")
    elif account.how == ACCESS:
        name = ACCESSES.get(account.place.kind, "segv-wild")
    else:
        return None
    if name == "segv-noncanonical":
        return _noncanonical_match(_noncanonical_words(inputs, account))
    return RuleMatch(name, _place_phrase(inputs, account, name))


def _noncanonical_words(inputs: CategoryInput, account: FaultAccount) -> dict[str, int]:
    """Return the registers of the access that are not canonical, or the address that they make."""
    site = account.site
    names = site.operand.registers() if site.operand is not None else ()
    odd = _noncanonical_registers(inputs, account.fault, _register_values(site.fault, names))
    if odd:
        return odd
    what = "the target it goes to" if site.kind in TRANSFERS else "the address it computes"
    return {"the word at rsp" if site.slot is not None else what: site.address or 0}


def _place_phrase(inputs: CategoryInput, account: FaultAccount, name: str) -> str:
    """Return the sentence that says what lies at the address."""
    address, place = account.address or 0, account.place
    if name == "segv-exec":
        same_pc = f"{account.fault.architecture.pc} equals the fault address"
        what = same_pc if address == account.fault.pc else "the instruction runs into"
        return f"{what} {address:#018x}, which is {_mapping_phrase(inputs, address)}"
    if place.kind == NULL:
        what = "an access at" if account.how == ACCESS else f"a {account.site.kind} to"
        return f"{what} address {address:#x}, below {NULL_PAGE}"
    if place.kind == LOW:
        went = f"the target of a {account.site.kind}"
        what = "the fault address" if account.how == ACCESS else went
        return f"{what} {address:#x} is below {NEAR_NULL}"
    if place.kind == NULL_BASE:
        assert account.site.operand is not None
        return f"the fault address {address:#018x} was made from {account.site.operand.base} = 0"
    if place.kind == GUARD and place.region is not None:
        return (
            f"the fault address {address:#018x} is in the inaccessible mapping "
            f"{place.region.start:#018x}-{place.region.end:#018x}"
        )
    return f"the fault address {address:#018x} is {_mapping_phrase(inputs, address)}"


def _mapping_phrase(inputs: CategoryInput, address: int) -> str:
    region = inputs.region_at(address)
    return "not mapped" if region is None else f"in a mapping with permissions {region.perms}"


def fault_without_operand(inputs: CategoryInput, account: FaultAccount) -> Answer:
    """SIGSEGV with an address that the instruction does not explain: the address decides."""
    address = account.fault.address
    if account.how != UNEXPLAINED or account.fault.signo != SIGSEGV or address is None:
        return None
    if address < NULL_PAGE:
        return RuleMatch("segv-null", f"an access at address {address:#x}, below {NULL_PAGE}")
    if address < NEAR_NULL:
        return RuleMatch("segv-near-null", f"the fault address {address:#x} is below {NEAR_NULL}")
    return RuleMatch(
        "segv-wild", f"the fault address {address:#018x} is {_mapping_phrase(inputs, address)}"
    )


def death_without_address(_: CategoryInput, account: FaultAccount) -> Answer:
    """Every end that no address belongs to: by how the process came to it."""
    end = ENDS.get(account.how)
    if end is None:
        return None
    name, evidence = end
    if account.how == RAISED:
        name = f"raised:{signal_name(account.fault.signo).replace(' ', '-')}"
    return RuleMatch(name, evidence(account))


def _address_phrase(account: FaultAccount) -> str:
    address = account.fault.address
    return "no address" if not address else f"address {address:#018x}"


def _raised_signal_phrase(account: FaultAccount) -> str:
    # find_fault would have answered with the signal frame that a re-raising handler leaves.
    return (
        f"the process sent {signal_name(account.fault.signo)} to itself (si_code "
        f"{account.fault.code}), and no signal frame on the crashed thread's stack tells of a "
        "fault before it"
    )


def _protection_phrase(account: FaultAccount) -> str:
    why = account.site.why or "why is not known"
    return f"SI_KERNEL without an address (general protection fault): {why}"


def _privileged_phrase(account: FaultAccount) -> str:
    musl = ", hlt: by it musl ends a process whose malloc or stack is damaged"
    what = musl if account.site.code.startswith(_HLT) else ""
    return f"a privileged instruction at {account.fault.pc:#018x}{what}"


def _arithmetic_phrase(account: FaultAccount) -> str:
    code = account.fault.code or 0
    return f"SIGFPE: {_FPE_CODES.get(code, f'si_code {code}')} at {account.fault.pc:#018x}"


# Ends that no address belongs to: the category of each, and the sentence that tells of it.
ENDS: dict[str, tuple[str, Callable[[FaultAccount], str]]] = {
    MISALIGNED: ("segv-misaligned", lambda account: (
        f"an access that must be aligned was not, by the instruction at {account.fault.pc:#018x}"
    )),
    PRIVILEGED: ("segv-privileged", _privileged_phrase),
    PROTECTION: ("segv-protection", _protection_phrase),
    PROTECTION_KEY: ("segv-protection-key", lambda account: (
        f"si_code 4: a protection key forbids it, {_address_phrase(account)}"
    )),
    SHADOW_STACK: ("segv-shadow-stack", lambda account: (
        f"si_code 10: a return at {account.fault.pc:#018x}"
    )),
    BUS: ("bus-adrerr", lambda account: (
        f"si_code {account.fault.code}, {_address_phrase(account)}"
    )),
    MEMORY_ERROR: ("bus-memerr", lambda account: (
        f"si_code {account.fault.code}: the kernel found poisoned memory, "
        f"{_address_phrase(account)}"
    )),
    ARITHMETIC: ("fpe", _arithmetic_phrase),
    ILLEGAL: ("ill", lambda account: (
        f"SIGILL: the CPU refused the instruction at {account.fault.pc:#018x}"
    )),
    TRAPPED: ("trap", lambda account: f"SIGTRAP at {account.fault.pc:#018x}"),
    CPU_LIMIT: ("limit:cpu", lambda _: (
        "SIGXCPU by the kernel: the limit of CPU time is used up (RLIMIT_CPU)"
    )),
    FILE_SIZE_LIMIT: ("limit:file-size", lambda _: (
        "SIGXFSZ: a file reached the limit of its size (RLIMIT_FSIZE)"
    )),
    REFUSED_CALL: ("seccomp", lambda _: (
        "SIGSYS by the kernel: a seccomp filter refused a system call"
    )),
    RAISED: ("raised", _raised_signal_phrase),
}  # fmt: skip


def _apply_to_account(
    rule: Callable[[CategoryInput, FaultAccount], Answer], inputs: CategoryInput
) -> Answer:
    return None if isinstance(inputs.account, Absent) else rule(inputs, inputs.account)


FAULT_RULES = tuple(
    (name, partial(_apply_to_account, rule))
    for name, rule in (
        ("segv-stack-overflow", stack_overflow),
        ("return-to-null", return_to_null),
        ("misaligned-sp", misaligned_sp),
        ("segv-noncanonical", protection_fault_unread_instruction),
        ("access", failed_access),
        ("unexplained", fault_without_operand),
        ("other ends", death_without_address),
    )
)


# -- The category of a crash: a closed, ordered list of rules; the first one that matches wins -----

_ASSERT = ("__assert_fail", "__assert_fail_base", "__assert_perror_fail", "__assert")
_ABORT = ("abort", "__GI_abort")
_LIBC = ("libc.so.", "libc-2.")
_MALLOC = ("malloc_printerr",)
_FORTIFY = ("__fortify_fail", "__chk_fail", "__stack_chk_fail")
_VIRTUAL = {"__cxa_pure_virtual": "pure-virtual", "__cxa_deleted_virtual": "deleted-virtual"}
# Normalised names: Rust 1.80 library/std/src/alloc.rs, library/alloc/src/alloc.rs; V8 12.
_NO_MEMORY = frozenset((
    "rust_oom", "std::alloc::rust_oom", "std::alloc::default_alloc_error_hook",
    "alloc::alloc::handle_alloc_error", "alloc::alloc::handle_alloc_error::rt_error",
    "__rust_alloc_error_handler", "__rg_oom", "__rdl_oom",
    "v8::internal::V8::FatalProcessOutOfMemory", "node::OOMErrorHandler",
    "base::TerminateBecauseOutOfMemory", "std::__throw_bad_alloc",
))  # fmt: skip
MAX_FRAMES = 64  # from the innermost on, in which a handler is sought
# Python/pylifecycle.c; the name says which entry, not why: the reason is only on stderr.
_FATAL = {
    "_Py_FatalErrorFunc": "error", "Py_FatalError": "error", "_Py_FatalErrorFormat": "error",
    "fatal_error": "error", "fatal_error_exit": "error",
    "_Py_FatalRefcountErrorFunc": "refcount", "_PyObject_AssertFailed": "object-assert",
    "Py_ExitStatusException": "init", "_Py_NegativeRefcount": "negative-refcount",
    "_Py_CheckRecursiveCall": "recursion",
}  # fmt: skip


def _first_function_on_stack(inputs: CategoryInput, names: tuple[str, ...]) -> str | None:
    plain = {name.removeprefix("__GI_") for name in inputs.function_names()}
    return next((name for name in names if name in plain), None)


def _decide_by_glibc_message(kind: str, frames: tuple[str, ...], inputs: CategoryInput) -> Answer:
    """Decide by glibc's message, or by a frame when the message could not be read."""
    message = inputs.abort_message
    if isinstance(message, AbortMessage):
        if message.kind != kind:
            return None
        klass = f":{message.klass}" if kind == "malloc" else ""
        detail = f" in {message.function}" if message.function else ""
        detail += f" ({message.klass})" if message.klass else ""
        return RuleMatch(
            f"abort-{kind}{klass}", f"glibc's __abort_msg holds its {kind} message{detail}"
        )
    frame = _first_function_on_stack(inputs, frames)
    if frame is not None:
        klass = ":unknown" if kind == "malloc" else ""
        return RuleMatch(f"abort-{kind}{klass}", f"{frame} is on the stack")
    if isinstance(message, Absent) and isinstance(inputs.native, Absent):
        return RuleUndecided(f"{message.detail}; no native stack ({inputs.native.detail})")
    # assert, malloc and fortify abort in static functions; Debian 13 ships no names of these.
    caller = _caller_of_abort(inputs)
    file = caller.module_name if caller and caller.function is None else ""
    if isinstance(message, Absent) and file.startswith(_LIBC):
        return RuleUndecided(f"{message.detail}; the function of libc that aborted has no name")
    return None


def _caller_of_abort(inputs: CategoryInput) -> NativeFrame | None:
    """Return the frame that called abort()."""
    frames = () if isinstance(inputs.native, Absent) else inputs.native[:MAX_FRAMES]
    return next((outer for inner, outer in pairwise(frames) if inner.function in _ABORT), None)


def cxx_terminate(inputs: CategoryInput) -> Answer:
    """std::terminate of C++, with the type of the exception that nobody caught."""
    if isinstance(inputs.native, Absent):
        return RuleUndecided(f"no native stack ({inputs.native.detail})")
    frame = evidence_of_terminate(inputs.native)
    if frame is None:
        return None
    virtual = next(
        (word for name, word in _VIRTUAL.items() if _first_function_on_stack(inputs, (name,))), None
    )
    if virtual is not None:
        return RuleMatch(
            f"abort-terminate:{virtual}", "a virtual function without a body was called"
        )
    thrown = signature_safe_text(inputs.thrown_type) if inputs.thrown_type else None
    detail = f"; the exception in flight is of type {thrown}" if thrown else ""
    return RuleMatch(f"abort-terminate:{thrown or 'unknown'}", f"{frame} is on the stack{detail}")


def fatal_error(inputs: CategoryInput) -> Answer:
    """Py_FatalError and its relatives."""
    if isinstance(inputs.native, Absent):
        return RuleUndecided(f"no native stack ({inputs.native.detail})")
    frame = _first_function_on_stack(inputs, tuple(_FATAL))
    return (
        RuleMatch(f"abort-py-fatal:{_FATAL[frame]}", f"{frame} is on the stack") if frame else None
    )


def _failed_allocation_handler(inputs: CategoryInput) -> str | None:
    """Return the handler of a failed allocation that is on the stack."""
    if isinstance(inputs.native, Absent):
        return None
    from gdb_epi.signature.native_names import normalised_name_and_note

    names = (
        normalised_name_and_note(frame.function)[0]
        for frame in inputs.native[:MAX_FRAMES]
        if frame.function
    )
    return next((name for name in names if name in _NO_MEMORY), None)


def other_abort(inputs: CategoryInput) -> Answer:
    """Any other SIGABRT that the process sent itself, unless it says that memory ran out."""
    if _failed_allocation_handler(inputs):
        return None
    from gdb_epi.signature.native_names import normalised_name_and_note

    outer = _caller_of_abort(inputs)
    name = (
        normalised_name_and_note(outer.function)[0] if outer is not None and outer.function else ""
    )
    by = f": {name} called abort()" if name else ""
    return RuleMatch("abort-other", f"SIGABRT that the process sent itself{by}")


def out_of_memory(inputs: CategoryInput) -> Answer:
    """The program's own handler of a failed allocation ended it."""
    frame = _failed_allocation_handler(inputs)
    what = f"{frame}, which a failed allocation calls, aborted"
    return RuleMatch("oom-suspect", what) if frame else None


def _apply_to_abort(rule: Rule, inputs: CategoryInput) -> Answer:
    fault = inputs.fault
    aborts = not isinstance(fault, Absent) and fault.signo == SIGABRT and fault.sender == "self"
    return rule(inputs) if aborts else None


ABORT_RULES = tuple(
    (name, partial(_apply_to_abort, rule))
    for name, rule in (
        ("abort-assert", partial(_decide_by_glibc_message, "assert", _ASSERT)),  # of C
        (
            "abort-malloc",
            partial(_decide_by_glibc_message, "malloc", _MALLOC),
        ),  # it found its own data damaged
        (
            "abort-fortify",
            partial(_decide_by_glibc_message, "fortify", _FORTIFY),
        ),  # and the stack protector
        ("abort-terminate", cxx_terminate),
        ("abort-py-fatal", fatal_error),
        ("abort-other", other_abort),
        ("oom-suspect", out_of_memory),
    )
)


# -- The category of a crash: a closed, ordered list of rules; the first one that matches wins -----

# Signals that the kernel sends for no doing of the thread that they end (signal(7), setrlimit(2)).
_BY_KERNEL = {
    1: "the terminal was closed",
    2: "the interrupt key of the terminal",
    3: "the quit key of the terminal",
}


def killed_external(inputs: CategoryInput) -> Answer:
    """Another process or thread sent the signal, or the kernel for a terminal."""
    fault, crash = inputs.fault, inputs.crash
    if isinstance(fault, Absent) or isinstance(crash, Absent):
        return None
    if fault.sender == "kernel" and crash.signo in _BY_KERNEL:
        return RuleMatch(
            "killed-external",
            f"{signal_name(crash.signo)} with si_code {crash.si_code} by the kernel: "
            f"{_BY_KERNEL[crash.signo]}",
        )
    by = {
        OTHER: f"was sent by process {crash.sender_pid}, which is not this one",
        PROCESS: "was sent by another thread of this process, or by a handler that has returned: "
        "the thread that died was in no call that sends signals",
        ELSEWHERE: "was raised again by a handler; it had met the thread in the middle of "
        "something else, so somebody else sent it",
    }.get(fault.sender)
    if by is None:
        return None
    signal = f"{signal_name(crash.signo)} with si_code {crash.si_code}"
    return RuleMatch("killed-external", f"{signal} {by}")


def ended_by_no_signal(inputs: CategoryInput) -> Answer:
    """No signal ended the process: a debugger wrote the core."""
    if isinstance(inputs.crash, Absent) and inputs.crash.reason == NOT_APPLICABLE:
        return RuleMatch("snapshot", inputs.crash.detail)
    return None


OTHER_RULES = (("killed-external", killed_external), ("snapshot", ended_by_no_signal))


RULES: tuple[tuple[str, Rule], ...] = (*FAULT_RULES, *ABORT_RULES, *OTHER_RULES)


def categorise(inputs: CategoryInput) -> tuple[Category, list[str]]:
    """Return the category and the steps that led to it."""
    steps: list[str] = []
    undecided: list[str] = []
    for name, rule in RULES:
        answer = rule(inputs)
        if isinstance(answer, RuleUndecided):
            undecided.append(name)
            steps.append(f"category: {name} cannot be decided: {answer.why}")
        elif answer is not None and answer.name == "abort-other" and undecided:
            # "None of the special aborts" is not proven while one of them could not be tested.
            steps.append(f"category: abort-other is not claimed: open are {', '.join(undecided)}")
            evidence = f"{answer.evidence}; which kind of abort cannot be told"
            return Category("unknown", "abort", evidence), steps
        elif answer is not None:
            steps.append(f"category: {answer.name}: {answer.evidence}")
            return Category(answer.name, category_family(answer.name), answer.evidence), steps
    if isinstance(inputs.crash, Absent):
        return Category("unknown", "unknown", inputs.crash.detail), steps
    code = "no si_code" if inputs.crash.si_code is None else f"si_code {inputs.crash.si_code}"
    evidence = f"{signal_name(inputs.crash.signo)}, {code}: no rule matches"
    if undecided:
        evidence += f"; open: {', '.join(undecided)}"
    return Category("unknown", "unknown", evidence), steps
