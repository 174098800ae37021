# SPDX-License-Identifier: Apache-2.0
"""What can be seen of the dead process, and where each byte comes from.

In: a core file with the executable and libraries that match it (`corefile`). Out: a `Target`
(`api`): memory with its provenance, mappings, threads, modules, symbols, native frames. Beside it
stands what needs only a Target: searches, the auxiliary vector, function bounds, the unwinder, how
much memory is missing.

Nothing here knows of Python; GDB's own Target is in `gdbhost`.
"""
