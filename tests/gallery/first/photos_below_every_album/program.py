# SPDX-License-Identifier: Apache-2.0
"""A photo frame counts the pictures below its shared folder, to choose one of them."""

import collections
import json
import os

ALBUMS = ("garden", "harbour", "winter")
ROOT = "pictures"


def share_pictures():
    for album in ALBUMS:
        folder = os.path.join(ROOT, album)
        os.makedirs(folder, exist_ok=True)
        for number in range(4):
            with open(os.path.join(folder, f"{number:04}.jpg"), "wb") as file:
                file.write(b"\xff\xd8\xff")
        os.symlink("..", os.path.join(folder, "all"))


def pictures_below(root):
    for folder, _, names in os.walk(root, followlinks=True):
        for name in names:
            if name.endswith(".jpg"):
                yield folder, name


def count_pictures(root):
    counts = collections.Counter()
    for folder, _ in pictures_below(root):
        counts[os.path.basename(folder)] += 1
    return counts


def main():
    share_pictures()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print(count_pictures(ROOT))


main()
