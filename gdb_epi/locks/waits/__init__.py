# SPDX-License-Identifier: Apache-2.0
"""What all families share: the futex call, the owner and verdict of a wait, cycles of waits.

Comes in: a thread's registers, or a family's guess. Goes out: `Wait`s with an owner and a verdict.
What recognises one kind of lock belongs into families/.
"""
