# SPDX-License-Identifier: Apache-2.0
"""Native frames without GDB, for cores of builds whose frames GDB has shown before.

In: an open core, and what GDB answered about earlier ones. Out: the very frames that GDB would give
for this core, or nothing; then GDB is asked, and what it says is kept. Frames that GDB would not
give do not belong here, however good they are: a record must not depend on who was asked.
"""
