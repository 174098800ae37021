# SPDX-License-Identifier: Apache-2.0
"""Source text of a frame, and proof that it is the one that ran.

In: a `PyFrame`, files of this machine below the sysroot, texts in the process' memory. Out: a
`Source` with its lines, where they are from and how far they are trusted (`finder`). `checks` holds
the two witnesses, `pyc` reads cached bytecode of any version.
"""
