# SPDX-License-Identifier: Apache-2.0
"""Relays frames between two radio masts and reports the meters of each channel by the second."""

import ctypes
import logging
import os
import threading
import time
from pathlib import Path

log = logging.getLogger("relay")
HERE = Path(__file__).resolve().parent

relay = ctypes.CDLL(str(HERE / "relay.so"))
relay.channel_new.argtypes = [ctypes.c_char_p]
relay.channel_new.restype = ctypes.c_void_p
relay.channel_carry.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint, ctypes.c_uint]
relay.channel_carry.restype = None
relay.channel_bytes.argtypes = [ctypes.c_void_p]
relay.channel_bytes.restype = ctypes.c_ulong

meters = ctypes.CDLL(str(HERE / "meters.so"))
meters.meters_read.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_ulong)]
meters.meters_read.restype = None
meters.meters_reset.argtypes = [ctypes.c_void_p]
meters.meters_reset.restype = None


class Channel:
    def __init__(self, name):
        self.name = name
        self.handle = relay.channel_new(name.encode())

    def carry(self, frame, usec):
        relay.channel_carry(self.handle, frame, len(frame), usec)

    def meters(self):
        out = (ctypes.c_ulong * 3)()
        meters.meters_read(self.handle, out)
        return tuple(out)


class Mast(threading.Thread):
    """One end of a channel."""

    def __init__(self, channel, frames, usec):
        super().__init__(name=f"mast-{channel.name}-{usec}", daemon=True)
        self.channel = channel
        self.frames = frames
        self.usec = usec

    def run(self):
        for _ in range(self.frames):
            self.channel.carry(os.urandom(40), self.usec)


class Reporter:
    def __init__(self, channels, every):
        self.channels = channels
        self.every = every

    def run(self, rounds):
        for _ in range(rounds):
            time.sleep(self.every)
            for channel in self.channels:
                log.info("%s: %d frames, %d bytes, %d dropped", channel.name, *channel.meters())
                meters.meters_reset(channel.handle)


def main():
    logging.basicConfig(level=logging.INFO)
    channels = [Channel("north"), Channel("south")]
    for channel in channels:
        Mast(channel, 2000, 9000).start()
        Mast(channel, 2000, 4000).start()
    Reporter(channels, 0.25).run(20)
    print([relay.channel_bytes(channel.handle) for channel in channels])


if __name__ == "__main__":
    main()
