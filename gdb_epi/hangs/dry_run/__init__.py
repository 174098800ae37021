# SPDX-License-Identifier: Apache-2.0
"""Python code that goes on, on the objects as they lie in the core; nothing of the program runs.

In comes a frame or a function, out comes that it gets where it was before (`EndlessLoop`), what it
returns, or that it cannot be followed. dry_run.py has the instructions, block_instructions.py those
of generators, `with` blocks and exceptions; what they work on is the business of
container_evaluation.py, object_evaluation.py, instances.py, operators.py, builtin_calls.py,
native_calls.py and library_values.py; equality.py says how objects compare, loop_states.py whether
a turn of a loop is like another. Which loops are followed, and what that says of a process, is for
loops/.
"""
