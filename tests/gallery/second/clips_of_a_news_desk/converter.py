# SPDX-License-Identifier: Apache-2.0
"""Stands for a converter that tells its progress on standard error."""

import sys

for frame in range(20000):
    if frame % 250 == 0:
        print(f"keyframe={frame}", flush=True)
    print(f"frame={frame} fps=48 q=28.0 size={frame * 3} kB speed=1.9x", file=sys.stderr)
