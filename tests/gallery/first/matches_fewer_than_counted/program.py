# SPDX-License-Identifier: Apache-2.0
"""A log search: the lines of a window that hold a word, found by a compiled helper."""

import grepper


def window(start, count):
    return ["%06d %s" % (n, "error" if n % 7 == 0 else "ok") for n in range(start, start + count)]


def summarise(lines):
    longest = 0
    for line in lines:
        longest = max(longest, len(line))
    return longest


def main():
    everything = window(0, 300)
    for line in everything[::7]:
        assert "error" in line
    errors = grepper.matching(everything, "error")
    print(len(errors), summarise(errors))


main()
