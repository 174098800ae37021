# SPDX-License-Identifier: Apache-2.0
"""What a loop tells: that it never ends, asks in vain, waits in turns, or gets on.

In comes a `HangContext`; each rule gives a `HangDiagnosis`, or None where it does not hold.
computing_threads.py answers for threads that run. Before it come those of which it can be shown
that they go round for ever: endless_walks.py (rings), endless_matches.py (regular expressions),
native/ beside this folder, and endless_loops.py, which has dry_run/ follow Python code. Loops of
asyncio and other event loops, polls and retries have the other files. A wait that stands in no loop
belongs in the folder above.
"""
