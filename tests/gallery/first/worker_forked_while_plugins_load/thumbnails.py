# SPDX-License-Identifier: Apache-2.0
"""A plugin whose tables take their time."""

import sys
import time

sys.plugin_started()
TABLES = []
for size in range(20):
    TABLES.append([size * n for n in range(100)])
    time.sleep(0.5)


def scale(size):
    return size * len(TABLES) // 100
