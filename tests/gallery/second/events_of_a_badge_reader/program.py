# SPDX-License-Identifier: Apache-2.0
"""Who came through which door: events of the badge readers are counted by holder."""

import collections
import ctypes
import os

library = ctypes.CDLL(os.path.abspath("badge.so"))
ON_BADGE = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_long)


class Attendance:
    def __init__(self):
        self.came = collections.Counter()
        self.last = {}
        self.callback = ON_BADGE(self.note)
        library.badge_listen(self.callback)

    def note(self, holder, reader, when):
        name = holder.decode("latin-1")
        self.came[name] += 1
        self.last[name] = (reader, when)


def main():
    attendance = Attendance()
    for hour in range(3):
        library.badge_poll(8)
    for name, count in attendance.came.most_common():
        print(name, count, attendance.last[name])


main()
