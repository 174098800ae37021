# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Become `python -c TEXT`, and die there: the source is nowhere but in the process."""

import os
import sys

TEXT = """
import sys
import deathbed

def step(follow, 名前='ß'):
    return [名前, follow(
        1,
    )]

way = deathbed.prepare("raise")
def last(*ignored):
    deathbed.die(way)
step(last)
"""

if __name__ == "__main__":
    os.execv(sys.executable, [sys.executable, "-c", TEXT, *sys.argv[1:]])
