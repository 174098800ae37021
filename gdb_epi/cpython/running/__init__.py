# SPDX-License-Identifier: Apache-2.0
"""What a Python program was in the middle of: exceptions, tasks, generators, greenlets, executors.

In: a target and its decoded PythonState. Out: NamedTuples of exceptions with their tracebacks,
asyncio tasks and who awaits whom, chains of suspended generators and coroutines, greenlets, the
workers and queues of executors; each with soft errors for what could not be had. Nothing raises for
damage. The frames of suspended coroutines are read in `cpython/frames/coroutines.py`; locks and who
waits for them belong to `locks/`, the text of any value to `cpython/values/`.
"""
