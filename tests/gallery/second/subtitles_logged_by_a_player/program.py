# SPDX-License-Identifier: Apache-2.0
"""Checks the subtitles of a documentary before it is shown."""

import logging

from binding import SubtitleEngine
from subrip import cues

SOURCE = """1
00:00:04,200 --> 00:00:06,900
The glacier was here in 1850.

2
00:00:07,100 --> 00:00:09,950
Now a lake lies between the moraines,
and larches grow on them.

3
00:00:12,400 --> 00:00:10,800
The first hut was built of stones.

4
00:00:15,000 --> 00:00:18,000
It stands to this day.
"""


def main():
    logging.basicConfig(level=logging.INFO)
    engine = SubtitleEngine()
    accepted = 0
    for cue in cues(SOURCE):
        accepted += engine.add(cue.start, cue.end, cue.text) >= 0
    print(accepted, "cues accepted")


if __name__ == "__main__":
    main()
