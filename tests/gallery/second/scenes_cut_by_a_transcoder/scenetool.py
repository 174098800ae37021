# SPDX-License-Identifier: Apache-2.0
"""Stands for the tool: progress on stderr, one JSON line for each scene on stdout."""

import json
import sys

verbose = "--verbose" in sys.argv
start = 0.0
for frame in range(1, 20_001):
    if verbose and frame % 5 == 0:
        sys.stderr.write(f"frame={frame:6} fps=241.3 q=-0.0 size=N/A bitrate=N/A speed=9.65x\r")
        sys.stderr.flush()
    if frame % 1700 == 0:
        print(json.dumps({"start": start, "end": frame / 25}), flush=True)
        start = frame / 25
