# SPDX-License-Identifier: Apache-2.0
"""Frames of an audio container are listed with their time stamps, which many frames lack."""

import struct

import audio_container


def build_container(frames):
    parts = []
    for number in range(frames):
        stamp = number * 1024 if number % 16 == 0 else 0xFFFFFFFF
        body = bytes([number % 256]) * 24
        parts.append(struct.pack("<IH", stamp, len(body)) + body)
    return b"".join(parts)


def list_frames(data):
    at = 0
    while at < len(data):
        stamp, size = audio_container.frame_at(data, at)
        yield stamp, size
        at += 6 + size


def main():
    data = build_container(6000)
    for turn in range(20):
        stamped = sum(stamp is not None for stamp, _ in list_frames(data))
        print(turn, stamped, flush=True)


main()
