# SPDX-License-Identifier: Apache-2.0
"""A bit of a string's length was flipped from outside; a search runs off the end of its memory."""

import json
import os


def lines_of(text):
    return text.count("\n")


def main():
    text = "\n".join("line %d of the log" % number for number in range(300))
    print(lines_of(text))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[id(text) + 16, 34]]}) + "\n")
    input()
    print(lines_of(text))


main()
