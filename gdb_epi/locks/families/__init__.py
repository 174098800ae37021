# SPDX-License-Identifier: Apache-2.0
"""The lock families: each file recognises locks of one kind, and is found by the loader.

A family is a function with `@classifier(order)`, which says whose lock a futex word is, or with
`@family(name)`, which yields waits of threads that sleep in no futex call (context.py). A new
family is a new file here and no edit elsewhere. Helpers are in waits/ and python/; who owns the
lock is settled for all of them in waits/futex.py.
"""
