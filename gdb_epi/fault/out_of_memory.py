# SPDX-License-Identifier: Apache-2.0
"""Whether a thread failed because it had got no memory: errno, and who asked for some."""

from __future__ import annotations

from gdb_epi.errors import Absent
from gdb_epi.fault.account import ACCESS, FaultAccount
from gdb_epi.fault.called_functions import call_that_set_register, imported_calls_before
from gdb_epi.fault.errno import ENOMEM, errno_of
from gdb_epi.fault.own_native_code import is_own_library
from gdb_epi.lazy_pattern import LazyPattern
from gdb_epi.target.api import Target, module_at
from gdb_epi.target.imported_functions import ImportedFunctions

MAX_FRAMES, MAX_OWN = 24, 4  # native frames of a thread, and those of the program's own libraries
# Parts of the names of functions that ask for memory: malloc() and its like, mmap(), strdup(),
# operator new and new[], and those of Python that make objects.
_ASKING = LazyPattern(r"alloc|memalign|mmap|mremap|strn?dup|asprintf|\A_Zn[wa]|\APy\w+(?:New|From)")


def is_out_of_memory(target: Target, account: FaultAccount) -> bool:
    """Tell whether errno is ENOMEM, and code that leads to the failure asked for memory before.

    No call that succeeds sets errno back, and msync() and mlock() set it to ENOMEM for addresses
    without memory: errno alone may be of long ago, or of a probe. Where the stack or the code
    cannot be read it has to do. A pointer that was used may have come by way of Python from an
    earlier call: of its library it is enough that it asks for memory anywhere.
    """
    if errno_of(target, account.fault) != ENOMEM:
        return False
    frames = target.native_frames(account.fault.tid)
    if isinstance(frames, Absent) or not account.fault.architecture.decodes:
        return True
    operand = account.site.operand
    registers = operand.registers() if operand is not None and account.how == ACCESS else ()
    pc = account.fault.pc
    returned_by = (call_that_set_register(target, frames, pc, name).function for name in registers)
    if any(map(_ASKING.search, returned_by)):
        return True
    called = [frame for frame in frames[:MAX_FRAMES] if not frame.inlined and frame.pc]
    own = [frame.pc for frame in called if is_own_library(frame.module or "")]
    calls = [imported_calls_before(target, pc) for pc in own[:MAX_OWN]]
    if account.how == ACCESS and own:  # the pointer may be the result of an earlier call
        library, imported = module_at(target, own[0]), ImportedFunctions(target)
        calls.append(list(imported.names_by_slot(library.start).values()) if library else None)
    return any(names is None or any(map(_ASKING.search, names)) for names in calls)
