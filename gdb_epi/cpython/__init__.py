# SPDX-License-Identifier: Apache-2.0
"""What CPython left in a process: layouts, runtime, threads, frames, objects, values.

In comes a `Target`; out come values (types.py) that say which interpreters, threads and frames
there were, and objects as `repr()` would have shown them. `memory_reader` is a target and a layout
together: all below read through it. What failed, who waits for whom and what is damaged is asked in
`fault/`, `locks/` and `corruption/`.
"""
