# SPDX-License-Identifier: Apache-2.0
"""The checks: each compares two things that must agree, and yields evidence where they do not.

In: a `Context`. Out: `Evidence` and `Skipped`. Each file registers its checks with `@check`, which
lists the innocent causes that they rule out; a new check is a new file. What two checks need is a
function of the context in one of the other folders.
"""
