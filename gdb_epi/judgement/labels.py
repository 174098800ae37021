# SPDX-License-Identifier: Apache-2.0
"""The labels of a verdict, and the model that gives them their meaning."""

from __future__ import annotations

MODEL = 2  # the meaning of a verdict; records without the number are model 1

SOFTWARE = "software"
HARDWARE_SUSPECT = "hardware-suspect"
DAMAGED_MEMORY = "damaged-memory"  # a word was damaged; who did it is not decided
FORK_INHERITED_LOCK = "fork-inherited-lock"
DEADLOCK, HANG = "deadlock", "hang"
NO_FAULT = "no-fault"  # busy, or waiting for work
OUT_OF_MEMORY = "out-of-memory"
KILLED = "killed"
CANNOT_TELL = "cannot-tell"
# What a person should look at before more frequent deaths.
URGENT = (HARDWARE_SUSPECT, DAMAGED_MEMORY, FORK_INHERITED_LOCK, DEADLOCK)
LABELS = (
    SOFTWARE, HARDWARE_SUSPECT, DAMAGED_MEMORY, FORK_INHERITED_LOCK, DEADLOCK, HANG, NO_FAULT,
    OUT_OF_MEMORY, KILLED, CANNOT_TELL,
)  # fmt: skip
