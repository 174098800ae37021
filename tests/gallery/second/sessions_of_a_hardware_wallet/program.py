# SPDX-License-Identifier: Apache-2.0
"""Attaches hardware wallets, by wire and by radio, to a hub in C++."""

import asyncio
import ctypes
import os.path

lib = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "session.so"))
for name in ("wallet_attach", "wallet_attach_wireless"):
    getattr(lib, name).argtypes = [ctypes.c_char_p, ctypes.c_int]


async def wired(found):
    for bus in range(4):
        await asyncio.sleep(0.01)
        await found.put(("usb:%d" % bus, False))


async def wireless(found):
    await asyncio.sleep(0.06)
    await found.put(("ble:7c:2f", True))


async def attach(found):
    channel = 0
    while True:
        device, radio = await found.get()
        channel += 1
        function = lib.wallet_attach_wireless if radio else lib.wallet_attach
        print(device, function(device.encode(), channel))
        found.task_done()


async def main():
    found = asyncio.Queue()
    task = asyncio.create_task(attach(found))
    await asyncio.gather(wired(found), wireless(found))
    await found.join()
    task.cancel()


asyncio.run(main())
