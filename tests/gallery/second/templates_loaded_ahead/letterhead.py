# SPDX-License-Identifier: Apache-2.0
"""The letters' head, laid out once, when this module is loaded."""

import time

HEAD = []
for line in ("Harbour Office", "Quay 4", "Opening hours 8 to 16"):
    HEAD.append(line.center(60))
    time.sleep(0.5)  # the printer's metrics are asked for


def compose(number):
    return "\n".join([*HEAD, "", f"Letter of desk {number}"]).encode()
