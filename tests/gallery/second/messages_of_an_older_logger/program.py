# SPDX-License-Identifier: Apache-2.0
"""Formats the messages of a plant with the C library, as its older logger did."""

import ctypes

libc = ctypes.CDLL(None)
TEXTS = {
    "stopped": (b"%s stopped at %s", 2),
    "started": (b"%s started", 1),
    "quiet": (b"nothing to tell", 0),
}


def message(kind, *words):
    text, wanted = TEXTS[kind]
    if len(words) != wanted:
        raise ValueError(kind)
    room = ctypes.create_string_buffer(200)
    arguments = (ctypes.c_char_p * max(2, wanted))(*(word.encode() for word in words))
    libc.vsnprintf(room, ctypes.c_size_t(len(room)), text, arguments)
    return room.value.decode()


def main():
    events = [("quiet",)] * 20 + [("stopped", "pump in hall 7", "station of the north")]
    for event in events:
        print(message(*event), flush=True)


main()
