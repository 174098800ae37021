# SPDX-License-Identifier: Apache-2.0
"""A thread sets the result of an asyncio future without call_soon_threadsafe; the loop sleeps on
in its selector.
"""

import asyncio
import os
import threading
import time

MAIN = threading.get_ident()


def asleep():
    """Wait until the main thread has slept for a while."""
    same, before = 0, None
    while same < 30:
        time.sleep(0.01)
        with open("/proc/self/task/%d/status" % os.getpid()) as file:
            now = [line for line in file if "ctxt" in line or line.startswith("State:\tR")]
        same = same + 1 if now == before else 0
        before = now


def compute_route(answer):
    asleep()
    answer.set_result(["north", "east"])
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def ask_route():
    answer = asyncio.get_running_loop().create_future()
    threading.Thread(target=compute_route, args=(answer,)).start()
    return await answer


print(asyncio.run(ask_route()))
