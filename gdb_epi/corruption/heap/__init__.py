# SPDX-License-Identifier: Apache-2.0
"""What memory holds: objects, blocks of pymalloc and of malloc, frames; and who refers to what.

In: a `Context`. Out: what begins at an address, what is free, which words hold an object, a walk
over all that the frames reach, and readers that read each page once. Nothing here calls anything
damaged: that is for the checks.
"""
