# SPDX-License-Identifier: Apache-2.0
"""Reads subtitles in the SubRip format."""

import re
from dataclasses import dataclass

TIMES = re.compile(r"(\d+):(\d+):(\d+),(\d+) --> (\d+):(\d+):(\d+),(\d+)")


@dataclass
class Cue:
    start: int
    end: int
    text: str


def milliseconds(hours, minutes, seconds, rest):
    return ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 1000 + int(rest)


def cues(source):
    for block in source.strip().split("\n\n"):
        _, times, *lines = block.splitlines()
        found = TIMES.match(times).groups()
        yield Cue(milliseconds(*found[:4]), milliseconds(*found[4:]), " / ".join(lines))
