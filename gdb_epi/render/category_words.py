# SPDX-License-Identifier: Apache-2.0
"""The words for each category of a death: in a sentence, and in the cell of a table.

The categories are those of signature/SPEC.md 3.1. A test makes sure that each of them is in both
tables, so that a new one cannot reach a reader as its bare name.
"""

from __future__ import annotations

UNKNOWN = "unknown"
# What happened; {where} is "in f, called from g (file:1)", {below} and {deep} leave out the place,
# {in_c} is " in C code called from g (file:1)" or nothing.
# A category with its class ("limit:cpu") comes before the one without.
DEATH_SENTENCES = {
    "segv-stack-overflow": "crashed: the C stack was full, {deep}",
    "segv-exec": "crashed: it jumped to memory that cannot be run as code, {below}",
    "return-to-null": "crashed: it called a function through a NULL pointer, {below}",
    "misaligned-sp": "crashed: the stack pointer was wrong, {where}",
    "segv-noncanonical": "crashed on a pointer that cannot be an address, {where}",
    "segv-null": "crashed on a NULL pointer {where}",
    "segv-near-null": "crashed on a pointer near NULL {where}",
    "segv-guard": "crashed on memory that is kept closed on purpose, {where}",
    "segv-wild": "crashed {where}",  # unmapped or only to be read: the second sentence says which
    "segv-misaligned": "crashed on an address that is not aligned, {where}",
    "segv-privileged": "crashed on an instruction that only the kernel may run, {where}",
    "segv-protection": "crashed: the CPU refused an instruction and named no address, {where}",
    "segv-protection-key": "crashed on memory that a protection key closes, {where}",
    "segv-shadow-stack": "crashed: a return address is not the one that the CPU kept, {where}",
    "bus-adrerr": "crashed: mapped memory had no data at the place that it used, {where}",
    "bus-memerr": "was stopped by the kernel: this machine's memory failed, {where}",
    "fpe": "crashed on an arithmetic error {where}",
    "ill": "crashed on an illegal instruction, {where}",
    "trap": "stopped at a trap instruction {where}",
    "raised": "ended itself with a signal, {where}",
    "limit:cpu": "was stopped: it used up the CPU time that it was allowed, {where}",
    "limit:file-size": "was stopped: a file grew larger than it was allowed to, {where}",
    "limit": "was stopped: it reached a limit that was set for it, {where}",
    "seccomp": "was stopped: the kernel refused a system call, {where}",
    "abort-assert": "aborted: a C assertion failed {where}",
    "abort-malloc": "aborted: malloc refused to go on, {where}",
    "abort-fortify": "aborted: a check of the C library found a buffer overrun, {where}",
    "abort-terminate": "aborted by std::terminate of C++, {where}",
    "abort-py-fatal": "aborted by Py_FatalError, {where}",
    "abort-other": "aborted {where}",
    "oom-suspect": "aborted because no more memory could be had, {where}",
    "killed-external": "was ended from outside, {where}",
    "snapshot": "was running when this was taken, {where}",
    "corrupt-stack": "crashed{in_c}, and its C stack cannot be read",
    UNKNOWN: "ended, how is not known, {where}",
}
# The same in the cell of a table.
TABLE_WORDS = {
    "segv-stack-overflow": "stack overflow",
    "segv-exec": "jump to no code",
    "return-to-null": "call through NULL",
    "misaligned-sp": "wrong stack pointer",
    "segv-noncanonical": "impossible pointer",
    "segv-null": "NULL pointer",
    "segv-near-null": "pointer near NULL",
    "segv-guard": "closed memory",
    "segv-wild": "bad pointer",
    "segv-misaligned": "address not aligned",
    "segv-privileged": "kernel's instruction",
    "segv-protection": "refused by the CPU",
    "segv-protection-key": "memory closed by key",
    "segv-shadow-stack": "wrong return address",
    "bus-adrerr": "no data for a mapping",
    "bus-memerr": "memory failed",
    "fpe": "arithmetic error",
    "ill": "illegal instruction",
    "trap": "trap",
    "raised": "signal to itself",
    "limit:cpu": "CPU time used up",
    "limit:file-size": "file too large",
    "limit": "limit reached",
    "seccomp": "system call refused",
    "abort-assert": "failed assertion",
    "abort-malloc": "damaged heap found",
    "abort-fortify": "buffer overrun found",
    "abort-terminate": "C++ exception",
    "abort-py-fatal": "fatal Python error",
    "abort-other": "abort",
    "oom-suspect": "no memory",
    "killed-external": "signal from outside",
    "snapshot": "snapshot",
    "corrupt-stack": "unreadable stack",
    UNKNOWN: "not known",
}
# The same by the detector of a finding, which says more than the category.
SENTENCES_BY_DETECTOR = {
    "floating_point_trap": "crashed on a floating-point operation that trapped, {where}",
    "integer_division": "crashed on an integer division without a result, {where}",
    "trap_instruction": "stopped at a trap instruction {where}",
    "foreign_sequence": "was ended by the kernel, {where}",
    "unstarted_handler": "was ended by the kernel: a signal's handler could not start, {where}",
}
# What can be done about a limit that was reached.
LIMIT_SENTENCES = {
    "limit:cpu": "The limit is RLIMIT_CPU (ulimit -t): raise it, or look at what took so long.",
    "limit:file-size": "The limit is RLIMIT_FSIZE (ulimit -f): raise it, or write less.",
}
# The words for an end without a category, by its signal.
_BY_SIGNAL = {
    "SIGABRT": "aborted {where}",
    "SIGSYS": "was stopped: the kernel refused a system call, {where}",
}
CRASHES = frozenset(("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS"))


def death_sentence(category: str, signal: str) -> str:
    """Return what happened, for a sentence, with {where}, {below}, {deep} or {in_c} to fill in.

    `signal` is the name of the signal, "" for none: it says something about uncategorised deaths.
    """
    kind, _, detail = category.partition(":")
    text = DEATH_SENTENCES.get(category)
    if text is not None and category != UNKNOWN:
        return text
    text = DEATH_SENTENCES.get(kind)
    if text is None or kind == UNKNOWN:
        return _BY_SIGNAL.get(signal) or _unknown_category_words(signal)
    if detail == "pure-virtual":
        return "aborted: C++ called a virtual function that has no code, {where}"
    if detail and detail not in ("unknown", "error"):
        text = text.replace(", {where}", f" ({detail}), {{where}}")
    return text


def _unknown_category_words(signal: str) -> str:
    if signal in CRASHES:
        return "crashed {where}"
    return f"was ended by {signal}, {{where}}" if signal else DEATH_SENTENCES[UNKNOWN]


def category_words(category: str | None) -> str:
    """Return the kind of death of a category, in a few words; "?" for none."""
    whole = str(category or "?")
    if whole in TABLE_WORDS:
        return TABLE_WORDS[whole]
    kind, _, detail = whole.partition(":")
    words = TABLE_WORDS.get(kind, kind)
    return f"{words} ({detail})" if detail and detail not in ("unknown", "error") else words
