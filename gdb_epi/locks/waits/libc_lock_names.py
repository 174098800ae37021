# SPDX-License-Identifier: Apache-2.0
"""Names for locks inside the C library: by symbol, else by who called into the wait.

Most of these locks are static, so a stripped libc does not name them. The functions that take
them are exported: return addresses just above the stack pointer say which one is running.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from gdb_epi.fault.mapping_checks import may_execute
from gdb_epi.fault.memory_reads import follows_call, read_up_to
from gdb_epi.sizes import WORD, split_into_words
from gdb_epi.target.api import Module, Target, Thread, module_at
from gdb_epi.target.cfi import Unwinder, UnwoundFrame

STACK_BYTES = 1024  # above rsp; the wait and its callers need a few hundred
WIDE_STACK_BYTES = 8192  # where nothing is so near: getaddrinfo() keeps kilobytes of buffers
MAX_FUNCTION = 4096  # bytes; a return address this far into a function counts as inside
LARGE = {"getaddrinfo": 16384}  # 8624 bytes in glibc 2.36
MAX_CALLERS = 8
MAX_UNWOUND = 32  # frames of the C library between a wait and who called it
SYSCALL_FUNCTION = 64  # bytes; syscall() of glibc x86-64 has 40 to 56
# Objects whose frames are between a wait and the library that waits.
_BETWEEN = ("libc.so", "libc-", "libpthread", "ld-", "libc.musl", "linux-vdso", "[vdso]")

ALLOCATOR = "malloc arena"
# Exported functions, by the lock that they take.
FUNCTIONS = {
    ALLOCATOR: (
        "malloc", "free", "calloc", "realloc", "memalign", "posix_memalign", "aligned_alloc",
        "malloc_trim", "mallopt", "mallinfo", "mallinfo2",
    ),
    "timezone (tzset)": ("tzset", "localtime_r", "localtime", "mktime", "strftime", "gmtime_r"),
    "locale": ("setlocale", "newlocale", "freelocale", "duplocale"),
    "exit functions": ("exit", "on_exit", "__cxa_atexit", "__cxa_finalize", "quick_exit"),
    "environment": ("getenv", "setenv", "putenv", "unsetenv", "clearenv"),
    "resolver": (
        "getaddrinfo", "gethostbyname", "gethostbyname_r", "gethostbyaddr_r", "res_init",
        "__res_init", "getnameinfo",
    ),
    "name service (NSS)": (
        "getpwnam", "getpwnam_r", "getpwuid", "getpwuid_r", "getgrnam_r", "getgrgid_r",
        "getpwent", "getservbyname_r", "getprotobyname_r",
    ),
    "random": ("random", "rand", "srandom", "srand", "random_r"),
    "syslog": ("syslog", "openlog", "closelog", "vsyslog"),
    "loader": ("dlopen", "dlclose", "dlsym", "dl_iterate_phdr", "dladdr"),
    "atfork handlers": ("fork", "__register_atfork"),
    "system()": ("system",),
    "gettext": ("dcgettext", "dcngettext", "bindtextdomain"),
}  # fmt: skip
# Static locks that some builds name in .symtab or debug files.
SYMBOLS = {
    "main_arena": ALLOCATOR,
    "list_lock": ALLOCATOR,
    "free_list_lock": ALLOCATOR,
    "tzset_lock": "timezone (tzset)",
    "__libc_setlocale_lock": "locale",
    "__exit_funcs_lock": "exit functions",
    "__exit_lock": "exit functions",
    "envlock": "environment",
    "syslog_lock": "syslog",
    "_nl_state_lock": "gettext",
}


def libc_functions_on_stack(target: Target, thread: Thread) -> list[str]:
    """Return exported libc functions that return addresses on the stack lie in, nearest first.

    A leftover of an earlier call can be among them: weaker than an unwinder's answer.
    """
    return _libc_functions_in_stack_words(
        target, thread, STACK_BYTES
    ) or _libc_functions_in_stack_words(target, thread, WIDE_STACK_BYTES)


def _libc_functions_in_stack_words(target: Target, thread: Thread, size: int) -> list[str]:
    words = split_into_words(read_up_to(target, thread.sp, size))
    libc = _libc_range(target)
    if libc is None:
        return []
    inside = [word for word in words if libc[0] <= word < libc[1]]
    if not inside:
        return []
    starts = sorted(_lock_functions_by_address(target).items())
    names: list[str] = []
    for word in inside:
        below = [
            (at, name) for at, name in starts if at < word <= at + LARGE.get(name, MAX_FUNCTION)
        ]
        if not below or below[-1][1] in names:
            continue
        # Code that is not readable does not contradict it.
        if follows_call(target, thread.architecture, word) is not False:
            names.append(below[-1][1])
    return names[:MAX_CALLERS]


def _libc_range(target: Target) -> tuple[int, int] | None:
    at = target.symbol("__libc_start_main")
    for module in target.modules():
        if at is not None and module.start <= at < module.end:
            return module.start, module.end
    return None


def _lock_functions_by_address(target: Target) -> dict[int, str]:
    functions: dict[int, str] = {}
    for names in FUNCTIONS.values():
        for name in names:
            at = target.symbol(name)
            if at is not None:
                functions.setdefault(at, name)
    return functions


def libc_function_taking(target: Target, thread: Thread, kind: str) -> str | None:
    """Return the C library's function, of those that take a kind of lock, that a thread is in.

    Its program counter or a return address near its stack pointer lies there.
    """
    wanted = FUNCTIONS.get(kind, ())
    starts = sorted(_lock_functions_by_address(target).items())
    below = [name for at, name in starts if at <= thread.pc < at + LARGE.get(name, MAX_FUNCTION)]
    callers = [*below[-1:], *_libc_functions_in_stack_words(target, thread, STACK_BYTES)]
    return next((name for name in callers if name in wanted), None)


def internal_lock_name(target: Target, address: int, callers: list[str]) -> tuple[str | None, str]:
    """Return (symbol or None, kind) of a lock word inside the C library."""
    for symbol, kind in SYMBOLS.items():
        at = target.symbol(symbol)
        if at is not None and 0 <= address - at < 8:
            return symbol, kind
    for caller in callers:
        for kind, names in FUNCTIONS.items():
            if caller in names:
                return f"in {caller}()", kind
    return None, "internal lock of a library"


def describe_caller_of_system_call(target: Target, thread: Thread) -> str | None:
    """Say whose code made a thread's system call, unless that may be a function of the C library.

    glibc's locks sleep in system calls of their own; libgomp's barriers have inlined ones, and
    parking_lot, Rust's std and abseil call syscall(). An executable may hold the C library.
    """
    pc = thread.pc
    generic = target.symbol("syscall")
    if generic is not None and 0 <= pc - generic < SYSCALL_FUNCTION:
        return "the system call was made through syscall(), which the C library's locks never use"
    module = module_at(target, pc)
    name = module.path.rpartition("/")[2] if module is not None else ""
    if not (name.startswith("lib") or ".so" in name) or name.startswith(_BETWEEN):
        return None
    return f"the system call was made by code of {name}, not by the C library"


def innermost_object_outside_libc(
    target: Target, thread: Thread, unwinder: Unwinder
) -> Module | None:
    """Return the object of the innermost code that is not the C library's.

    By the unwind tables. Where those end too early, by the return addresses further up the stack,
    some of which may be left over from calls that have ended.
    """
    modules, top = target.modules(), thread.sp
    for frame in islice(unwinder.walk(thread.registers), MAX_UNWOUND):
        module = _module_outside_libc(target, modules, frame.pc)
        if module is not None:
            return module
        top = frame.cfa - WORD  # where the return address is, on x86-64
    for pc in (thread.pc, *split_into_words(read_up_to(target, top, STACK_BYTES))):
        module = _module_outside_libc(target, modules, pc)
        if module is not None and (
            pc == thread.pc or follows_call(target, thread.architecture, pc) is not False
        ):
            return module
    return None


def is_libc_or_loader(module: Module) -> bool:
    """Tell whether an object is the C library or the loader: its frames are a wait's own."""
    return module.path.rpartition("/")[2].startswith(_BETWEEN)


def frames_outside_libc(
    target: Target, frames: Iterable[UnwoundFrame]
) -> Iterator[tuple[int, Module]]:
    """Yield (address in the call, object) of the frames that are not of the C library."""
    for number, frame in enumerate(frames):
        pc = frame.pc - 1 if number else frame.pc
        module = module_at(target, pc)
        if module is not None and not is_libc_or_loader(module):
            yield pc, module


def _module_outside_libc(target: Target, modules: Sequence[Module], pc: int) -> Module | None:
    """Return the object whose code is at an address, where that is not the C library."""
    module = next((module for module in modules if module.start <= pc < module.end), None)
    if module is None or is_libc_or_loader(module):
        return None
    return module if may_execute(target.region_at(pc)) else None
