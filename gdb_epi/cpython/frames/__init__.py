# SPDX-License-Identifier: Apache-2.0
"""The Python frames of a thread.

In: a `MemoryReader` and a PyThreadState. Out: `PyFrame`s, innermost first, with lines
(`stack_walk`), joined with the native frames that run them (`eval_calls`, `merged_stack`); the C
function that a frame called (`callee`); what suspended coroutines wait in (`coroutines`).

Variables and their values are not read here (`values`), source text neither (`source`).
"""
