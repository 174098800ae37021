# SPDX-License-Identifier: Apache-2.0
"""Python's side of the locks: lock objects, frames inside `with` blocks, names of objects.

In comes a decoded PythonState; out come addresses of objects and what they are (`PythonView`).
Nothing here knows of futexes, owners' verdicts or forks.
"""
