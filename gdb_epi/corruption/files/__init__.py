# SPDX-License-Identifier: Apache-2.0
"""Files of the process as second copies of what its memory holds: ELF objects and .pyc files.

In: the files on this machine with the core's build-ids, or under the process' sysroot. Out: the
words, code and constants that memory should hold, and whether a file is the one that was loaded.
The comparison itself is a check.
"""
