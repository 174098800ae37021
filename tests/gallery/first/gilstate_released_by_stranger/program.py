# SPDX-License-Identifier: Apache-2.0
"""A C thread releases a GIL state that it never took: "This thread state must be current when
releasing".
"""

import time

import uplink


def send():
    uplink.deliver(3)
    time.sleep(1)


send()
