# SPDX-License-Identifier: Apache-2.0
"""Looks for the start marker in what a radio has received. The marker's value comes from the
channel's settings, and a change of the channel drops what was received on the old one."""


class Channel:
    def __init__(self, number):
        self.number = number
        self.received = bytearray()

    def tune(self, number):
        self.number = number
        self.received.clear()


class StartMarker:
    """The start marker of whatever channel is on; a number where one is asked for."""

    def __init__(self, channel, settings):
        self.channel, self.settings = channel, settings

    def __index__(self):
        wanted = self.settings["channel"]
        if wanted != self.channel.number:
            self.channel.tune(wanted)
        return self.settings["marker"]


def first_packet(channel, marker):
    start = channel.received.find(marker)
    return channel.received[start : start + 32] if start >= 0 else None


def main():
    channel = Channel(7)
    settings = {"channel": 7, "marker": 0x7E}
    marker = StartMarker(channel, settings)
    for block in range(40):
        channel.received += bytes(32768)
    print(first_packet(channel, marker))
    settings["channel"] = 11
    print(first_packet(channel, marker))


main()
