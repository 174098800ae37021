# SPDX-License-Identifier: Apache-2.0
"""What a person reads of a wait: who holds the lock. Triage and `epi locks` share the words.

In: the verdict of a wait (locks/types.py; RECORD.md, "waits"). Out: a clause.
"""

from __future__ import annotations

OF_THE_PARENT = "a thread of the parent"  # a screen that knows its name puts that in its place
# By verdict; a verdict that is not here has its holder named instead.
HOLDERS = {
    "inherited-owner-vanished": f"held by {OF_THE_PARENT}, which fork() did not copy",
    "inherited-holder-frame-vanished": f"held by {OF_THE_PARENT}, which fork() did not copy",
    "own-lock-under-old-tid": "held by this thread itself, since before fork()",
    "gil-inherited": "the GIL was held at fork()",
    "inherited-internal-lock": "a lock of a library, held at fork()",
    "probable-inherited": "probably held at fork()",
    "in-fork-handlers": "taken in a handler of fork()",
    "lost-wakeup": "nothing can wake it any more",
    "self-deadlock": "held by the same thread",
    "other-process": "shared between processes",
    "no-workers": "its workers are gone",
    "latent-inherited": "held since fork()",
}
