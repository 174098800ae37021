# SPDX-License-Identifier: Apache-2.0
"""Native stacks by GDB's unwinder, with names withheld where GDB read another build's file.

It jumps over a deep recursion: for as long as native stacks are looked at, an unwinder of our own
answers for one frame of it that its caller is the frame that the recursion was called from, whose
registers target/deep_stack.py has read. GDB asks it for every other frame too, and goes on with its
own unwinders there. Afterwards everything is as before: the user's `bt` is not touched.
"""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from types import TracebackType

import gdb
import gdb.unwinder

from gdb_epi.errors import NOT_AVAILABLE, UNREADABLE, Absent, SoftError
from gdb_epi.gdbhost.selection import restore_selection_afterwards, temporary_gdb_setting
from gdb_epi.sizes import WORD_MASK
from gdb_epi.target.api import Module, ModulesByAddress, NativeFrame, Region, Target
from gdb_epi.target.cfi import SAVED
from gdb_epi.target.deep_stack import DeepStackContinuation, DeepStackWalker
from gdb_epi.target.greenlet_stacks import GreenletStackStarts, GreenletStackWalk
from gdb_epi.typing_lite import TYPE_CHECKING
from gdb_epi.util import memoized

if TYPE_CHECKING:
    from gdb_epi.cpython.source.cython_c_files import GeneratedCFiles, PyxPlace

KEEP = 50  # frames that remain after a jump, at least
MOST = 400
MAX_NAMES = 4  # of functions of a recursion
_REGISTERS = (*SAVED, "rsp", "rip")
# Frames that are walked: of one thread, and of all. GDB 18.1 takes 5 s for 50,000 frames and 22 s
# for 100,000 (13.1: 1 s and 2 s).
MAX_UNWOUND = 50_000
MAX_UNWOUND_OF_ALL = 200_000
MIN_UNWOUND = 1000  # what every thread gets, even when the others used all up
KEEP_INNERMOST = 200  # frames that are described: a runaway recursion repeats itself
KEEP_OUTERMOST = 50
DEEP = 400  # frames from which on a recursion is looked for, so that it need not be unwound
KEEP_BEHIND_JUMP = 600  # frames
MAX_TRIES = 8  # to jump, in one thread
KINDS = {
    gdb.NORMAL_FRAME: "normal",
    gdb.INLINE_FRAME: "inline",
    # A tail call leaves no frame; GDB infers one from debug information, as for inlined code.
    gdb.TAILCALL_FRAME: "inline",
    gdb.SIGTRAMP_FRAME: "signal",
}
# Stands for the frames that were left out between the innermost and the outermost ones.
GAP = NativeFrame(0, 0, None, None, None, None, None, None, False, "sentinel")
# GDB's own texts for these are translated; records must not depend on the locale.
STOP_REASONS = {
    gdb.FRAME_UNWIND_UNAVAILABLE: "not enough registers or memory to unwind further",
    gdb.FRAME_UNWIND_INNER_ID: "the caller's frame is below its callee's (corrupt stack?)",
    gdb.FRAME_UNWIND_SAME_ID: "the caller's frame is the same frame again (corrupt stack?)",
    gdb.FRAME_UNWIND_NO_SAVED_PC: "no return address was found",
    gdb.FRAME_UNWIND_MEMORY_ERROR: "the memory of the next frame cannot be read",
}
# Not the operator() of a closure, whose name GDB prints without the scope.
_MADE_UP = re.compile(r"(?!operator\b)([A-Za-z_]\w*)\(.*\)\Z", re.DOTALL)


class UnwinderJumps:
    """The jumps of one thread at a time; none remains after the `with` block."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._stacks: DeepStackWalker | None = None
        self._parts: dict[tuple[int, int], DeepStackContinuation] = {}  # by rip and rsp
        self._unwinder: _JumpingUnwinder | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._parts.clear()
        if self._unwinder is not None:
            gdb.frame_unwinders.remove(self._unwinder)
            gdb.invalidate_cached_frames()
            self._unwinder = None

    def add_jump(self, frame: gdb.Frame) -> bool:
        """Jump at a frame that has called another one, when a deep recursion lies beyond it.

        Every frame that GDB has given is invalid then.
        """
        values = {name: _read_register(frame, name) for name in _REGISTERS}
        registers = {name: value for name, value in values.items() if value is not None}
        if self._stacks is None:
            self._stacks = DeepStackWalker(self._target)
        part = self._stacks.continuation_outside_recursion(registers, KEEP, MOST)
        if part is None:
            return False
        self._parts[registers["rip"], registers["rsp"]] = part
        if self._unwinder is None:
            self._unwinder = _JumpingUnwinder(self._parts)
            gdb.unwinder.register_unwinder(None, self._unwinder, replace=True)
        gdb.invalidate_cached_frames()
        return True

    def frames_jumped_over(self, frame: gdb.Frame) -> int:
        """Return how many frames are between a frame and what GDB takes for its caller."""
        if not self._parts or frame.type() != gdb.NORMAL_FRAME:
            return 0
        part = self._parts.get((frame.pc(), _read_register(frame, "rsp") or 0))
        return part.skipped if part is not None else 0

    def recurring_functions(self, frames: Sequence[NativeFrame]) -> list[str]:
        """Return the functions of the recursions that were jumped over, as `frames` name them."""
        names = {frame.pc: frame.function for frame in frames if not frame.inlined}
        counts: Counter[str] = Counter()
        for part in self._parts.values():
            for pc, count in part.recurring.items():
                name = names.get(pc)
                if name is not None:
                    counts[name] += count
        return [name for name, _ in counts.most_common(MAX_NAMES)]


class _FrameId:
    """What gdb.PendingFrame.create_unwind_info() takes; GDB 13.1 wants values, not ints."""

    def __init__(self, sp: gdb.Value, pc: gdb.Value) -> None:
        self.sp = sp
        self.pc = pc


class _JumpingUnwinder(gdb.unwinder.Unwinder):  # type: ignore[misc]  # its module has no types
    """Answers for the frames where a jump begins, and for no other."""

    def __init__(self, parts: Mapping[tuple[int, int], DeepStackContinuation]) -> None:
        super().__init__("gdb-epi: deep recursion")
        self._parts = parts
        self._word = gdb.lookup_type("unsigned long")

    def __call__(self, pending: gdb.PendingFrame) -> gdb.UnwindInfo | None:
        rip, rsp = (int(pending.read_register(n)) & WORD_MASK for n in ("rip", "rsp"))
        part = self._parts.get((rip, rsp))
        if part is None:
            return None
        frame_id = _FrameId(self._gdb_word(part.cfa), self._gdb_word(rip))
        info = pending.create_unwind_info(frame_id)
        for name in _REGISTERS:
            info.add_saved_register(name, self._gdb_word(part.registers[name]))
        return info

    def _gdb_word(self, number: int) -> gdb.Value:
        return gdb.Value(number).cast(self._word)


def _read_register(frame: gdb.Frame, name: str) -> int | None:
    try:
        return int(frame.read_register(name)) & WORD_MASK
    except (gdb.error, ValueError):  # another architecture, or not saved
        return None


RegionAt = Callable[[int], "Region | None"]


class GdbUnwinder:
    """The native frames of the threads of one inferior.

    `errors` receives what could not be read. `region_at` is the target's; it is None where the
    mappings are not known.
    """

    def __init__(self, target: Target, errors: list[SoftError], region_at: RegionAt | None) -> None:
        modules = target.modules()
        self._region_at = region_at
        self._jumps = UnwinderJumps(target)
        self._switches = GreenletStackStarts(target)
        self.module_at = ModulesByAddress(modules).module_at_address
        self._executable = modules[0] if modules else None
        self._errors = errors
        self._left = MAX_UNWOUND_OF_ALL
        self._other_build: dict[str, bool] = {}
        self._generated: GeneratedCFiles | None = None  # made for the first function of Cython

    @memoized
    def frames(self, tid: int) -> Sequence[NativeFrame] | Absent:
        """Return the native stack of one LWP, innermost first."""
        # Frame.name() gives a minimal symbol's linkage name only while names stay mangled.
        mangled = temporary_gdb_setting("print demangle", "off")
        with restore_selection_afterwards(), mangled, self._jumps:
            blind = self._why_gdb_cannot_unwind()
            if blind:
                return Absent(NOT_AVAILABLE, blind)
            thread = self._threads_by_lwp.get(tid)
            if thread is None or not thread.is_valid():
                return Absent(NOT_AVAILABLE, f"GDB has no thread with LWP {tid}")
            try:
                thread.switch()
                gdb.newest_frame().pc()
            except gdb.error as error:
                return Absent(UNREADABLE, f"GDB cannot unwind LWP {tid}: {error}")
            inner, outer, total = self._frames_at_both_ends(tid)
            frames = _with_physical_sp([self._native_frame_of(frame) for frame in inner])
            outermost = _with_physical_sp([self._native_frame_of(frame) for frame in outer])
            left_out = total - len(inner) - len(outer)
            if left_out:
                again = self._jumps.recurring_functions([*frames, *outermost])
                frames.append(GAP._replace(function=", ".join(again) or None, left_out=left_out))
                if not again:  # else nothing is lost: the count and the functions are recorded
                    self._note_error(
                        f"thread {tid}", f"{left_out} of {total} native frames are left out"
                    )
            frames += outermost
            blind = self._why_libraries_are_unknown(frames)
            return Absent(NOT_AVAILABLE, blind) if blind else tuple(frames)

    def is_other_build(self, module: Module, pc: int) -> bool:
        """Tell whether GDB reads a file with another build-id than the process had mapped at `pc`.

        GDB 13.1 loads a library of another build and shows wrong names; 18.1 leaves it out.
        """
        if module.path not in self._other_build:
            loaded = self.loaded_build_id(module, pc)
            differs = None not in (loaded, module.build_id) and loaded != module.build_id
            self._other_build[module.path] = differs
            if differs:
                self._note_error(
                    module.path,
                    f"GDB loaded another build of it ({str(loaded)[:16]}) than the process ran "
                    f"({str(module.build_id)[:16]}): names of C functions in it are withheld",
                )
        return self._other_build[module.path]

    def loaded_build_id(self, module: Module, pc: int) -> str | None:
        """Return the build-id of the file that GDB reads at `pc`, an address in `module`."""
        return loaded_build_id(pc, in_executable=module == self._executable)

    def loaded_build_id_of(self, module: Module, regions: Sequence[Region]) -> str | None:
        """Return the build-id of the file that GDB has loaded for an object, or None."""
        for region in regions:
            if "x" in region.perms and module.start <= region.start < module.end:
                build_id = self.loaded_build_id(module, region.start)
                return build_id or self.loaded_build_id(module, region.start + region.size // 2)
        return None

    @cached_property
    def _threads_by_lwp(self) -> dict[int, gdb.InferiorThread]:
        return threads_by_lwp()

    def _frames_at_both_ends(self, tid: int) -> tuple[list[gdb.Frame], deque[gdb.Frame], int]:
        """Return the innermost frames, the outermost ones, and how many there are.

        When a stack is deep and its middle can be left out, the walk begins anew: then GDB
        does not make the frames of the middle.
        """
        tries = 0
        greenlets = self._switches.begin_stack_walk() if self._switches else None
        inner: list[gdb.Frame] = []
        outer: deque[gdb.Frame] = deque(maxlen=KEEP_OUTERMOST)
        limit = max(MIN_UNWOUND, min(MAX_UNWOUND, self._left))
        frame = gdb.newest_frame()
        walked = skipped = 0
        since = DEEP  # frames until a jump is tried
        while True:
            walked += 1
            (inner if walked <= KEEP_INNERMOST else outer).append(frame)
            if walked >= limit:
                self._note_error(f"thread {tid}", f"unwinding stopped at {limit} frames")
                outer.clear()  # they are in the middle of the stack
                break
            since -= 1
            if not since and tries < MAX_TRIES:
                tries += 1
                start = frame if skipped else _first_physical((inner[-1], *outer))
                if start is not None and self._jumps.add_jump(start):
                    inner, outer = [], deque(maxlen=KEEP_BEHIND_JUMP)
                    frame = gdb.newest_frame()
                    walked = skipped = 0
                    since = -1
                    continue
                since = DEEP * 10
            over = self._jumps.frames_jumped_over(frame)
            if over:
                skipped += over
                outer.clear()
                since = KEEP_BEHIND_JUMP
            try:
                older = frame.older()
                if older is not None and greenlets and _greenlet_begins_in(greenlets, frame, older):
                    break  # the outermost call of a greenlet
                last = older is None or not self._is_plausible_caller(tid, frame, older)
            except gdb.error as error:
                where = walked + skipped
                self._note_error(
                    f"thread {tid}", f"GDB's unwinder failed at frame {where}: {error}"
                )
                break
            if last:
                reason = STOP_REASONS.get(frame.unwind_stop_reason())
                if reason:
                    self._note_error(f"thread {tid}", f"the native stack ends early: {reason}")
                break
            frame = older
        self._left -= walked
        return inner, outer, walked + skipped

    def _is_plausible_caller(self, tid: int, frame: gdb.Frame, older: gdb.Frame) -> bool:
        """Whether `older` may have called `frame`: GDB guesses where unwind tables are missing.

        Code that a signal interrupted may have jumped anywhere; zero ends a stack.
        """
        pc = older.pc()
        if self._region_at is None or frame.type() == gdb.SIGTRAMP_FRAME:
            return True
        region = self._region_at(pc)
        if region is not None and ("x" in region.perms or "?" in region.perms):
            return True
        if pc:
            self._note_error(f"thread {tid}", f"the native stack ends early: no code at {pc:#x}")
        return False

    def _why_gdb_cannot_unwind(self) -> str:
        """Return why GDB cannot unwind at all, "" when it can.

        GDB 13.1 does not look for the executable of a core by itself (18.1 does), and knows no
        library without it. What it then guesses would make other keys of the same crash.
        """
        executable = self._executable
        if (
            executable is None
            or not isinstance(executable.file, str)
            or gdb.current_progspace().filename
        ):
            return ""
        return f"GDB has loaded neither the executable nor libraries; {_load_advice(executable)}"

    def _why_libraries_are_unknown(self, frames: Sequence[NativeFrame]) -> str:
        """Return why a stack through libraries was guessed, "" when one of them is loaded.

        GDB 13.1 reads the list of libraries when it opens a core: where the executable came after
        it, it knows none, and what it unwinds out of them are words that look like callers.
        """
        executable = self._executable
        modules = [(frame.pc, self.module_at(frame.pc)) for frame in frames if not frame.inlined]
        library_pcs = [
            pc
            for pc, module in modules
            if module and module != executable and isinstance(module.file, str)
        ]
        if executable is None or not library_pcs or any(gdb.solib_name(pc) for pc in library_pcs):
            return ""
        return f"GDB has loaded none of the libraries on this stack; {_load_advice(executable)}"

    def _native_frame_of(self, frame: gdb.Frame) -> NativeFrame:
        pc = frame.pc()
        module = self.module_at(pc)
        kind = KINDS.get(frame.type(), "normal")
        function, filename, lineno, pyx = None, None, None, None
        if module is None or not self.is_other_build(module, pc):
            function = _linkage_name(frame)
            # As in the debug information: nothing is looked up on this machine.
            with suppress(gdb.error, UnicodeDecodeError):
                sal = frame.find_sal()
                filename = sal.symtab.filename if sal.symtab else None
                lineno = sal.line or None
                if function and function.startswith("__pyx_") and filename and lineno:
                    pyx = self._pyx_place(frame, sal, function, module)
        try:
            sp = int(frame.read_register("sp")) & WORD_MASK
        except (gdb.error, ValueError):
            sp = 0
        return NativeFrame(
            pc=pc,
            sp=sp,
            function=function,
            module=module.path if module else None,
            build_id=module.build_id if module else None,
            offset=pc - module.base if module else None,
            filename=filename,
            lineno=lineno,
            inlined=kind == "inline",
            kind=kind,
            pyx=pyx.file if pyx else None,
            pyx_line=pyx.line if pyx else None,
        )

    def _pyx_place(
        self, frame: gdb.Frame, sal: gdb.Symtab_and_line, function: str, module: Module | None
    ) -> PyxPlace | None:
        """Return the line of a .pyx file that generated C came from, where its file tells it."""
        from gdb_epi.cpython.source.cython_c_files import GENERATED, GeneratedCFiles, c_paths

        symbol = frame.function()
        if symbol is None or sal.symtab is None or not sal.symtab.filename.endswith(GENERATED):
            return None
        self._generated = self._generated or GeneratedCFiles()
        file = module.file if module is not None and isinstance(module.file, str) else None
        paths = c_paths(sal.symtab.filename, sal.symtab.fullname(), file)
        return self._generated.pyx_place(paths, function, symbol.line, sal.line)

    def _note_error(self, subject: str, message: str) -> None:
        self._errors.append(SoftError("native", subject, message))


def _load_advice(executable: Module) -> str:
    return f"try: file {executable.path}, then core-file CORE"


def threads_by_lwp() -> dict[int, gdb.InferiorThread]:
    """Return GDB's threads of the selected inferior by LWP."""
    threads = {}
    for thread in gdb.selected_inferior().threads():
        pid, lwp, _ = thread.ptid
        threads[lwp or pid] = thread
    return threads


def loaded_build_id(address: int, *, in_executable: bool) -> str | None:
    """Return the build-id of the file that GDB has loaded over an address, or None.

    The address must lie in a section: the page with the ELF headers belongs to none.
    """
    space = gdb.current_progspace()
    if hasattr(space, "objfile_for_address"):  # not in 13.1
        objfile = space.objfile_for_address(address)
    else:
        name = gdb.solib_name(address) or (space.filename if in_executable else None)
        objfile = _objfile_named(name) if name else None
    build_id = objfile.build_id if objfile is not None else None
    return str(build_id) if build_id else None


def _objfile_named(name: str) -> gdb.Objfile | None:
    real = os.path.realpath(name)
    for objfile in gdb.objfiles():
        if (
            objfile.owner is None
            and objfile.filename
            and real == os.path.realpath(objfile.filename)
        ):
            return objfile
    return None


def _greenlet_begins_in(greenlets: GreenletStackWalk, frame: gdb.Frame, older: gdb.Frame) -> bool:
    """Tell whether a greenlet's stack begins in a frame; raises gdb.error."""
    low = int(frame.read_register("sp")) & WORD_MASK
    high = int(older.read_register("sp")) & WORD_MASK
    return greenlets.greenlet_begins_in_frame(frame.pc(), low, high)


def _linkage_name(frame: gdb.Frame) -> str | None:
    """Return the linkage name.

    An extern "C" function in C++ code has none in its debug information; GDB then makes up
    "name(argument types)".
    """
    try:
        symbol = frame.function()
        name = symbol.linkage_name if symbol is not None else frame.name()
    except (gdb.error, UnicodeDecodeError):
        return None
    made_up = _MADE_UP.match(name or "")
    return made_up.group(1) if made_up else name or None


def _first_physical(frames: Sequence[gdb.Frame]) -> gdb.Frame | None:
    """Return the first frame that is a call of its own."""
    return next((frame for frame in frames if frame.type() == gdb.NORMAL_FRAME), None)


def _with_physical_sp(frames: list[NativeFrame]) -> list[NativeFrame]:
    """Give inlined frames the stack pointer of the frame they are part of (GDBs differ)."""
    done: list[NativeFrame] = []
    for frame in reversed(frames):
        done.append(frame._replace(sp=done[-1].sp) if frame.inlined and done else frame)
    return done[::-1]
