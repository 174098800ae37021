# SPDX-License-Identifier: Apache-2.0
"""The plan of a hostel's rooms is shared with the lodge, a process of its own."""

import subprocess
import sys
from multiprocessing.shared_memory import SharedMemory

import numpy as np

ROOMS = 48


def plan_of(block):
    return np.ndarray((ROOMS,), dtype=object, buffer=block.buf)


def keep_lodge(name):
    block = SharedMemory(name=name)
    plan = plan_of(block)
    for room, guest in enumerate(plan):
        print(room, guest)


def manage():
    block = SharedMemory(create=True, size=ROOMS * 8)
    plan = plan_of(block)
    for room in range(ROOMS):
        plan[room] = f"guest of room {room}"
    lodge = [sys.executable, __file__, "lodge", block.name]
    status = subprocess.run(lodge).returncode
    print("the lodge closed with", status)
    block.unlink()


if __name__ == "__main__":
    if sys.argv[1:2] == ["lodge"]:
        keep_lodge(sys.argv[2])
    else:
        manage()
