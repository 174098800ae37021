# SPDX-License-Identifier: Apache-2.0
"""The wrong pointer: which words may be it, what each may have been, and what software makes it.

In: the fault of a `Context`. Out: suspects, their one-bit neighbours ranked by what speaks for
them, and the software that would make the same word. Evidence is made of these in checks/.
"""
