# SPDX-License-Identifier: Apache-2.0
"""What GDB calls a place in code, read from a file's debug information without GDB.

In: one file with .debug_info, and an address. Out: the functions and lines that GDB 13.1 to 18.1
give for it, or GdbNeeded, and then GDB is asked. Only the unit of that address is read. What GDB
does not say about a frame (variables, types) does not belong here.
"""
