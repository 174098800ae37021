# SPDX-License-Identifier: Apache-2.0
"""The collector that leads: reads the meters."""

import fcntl
import os
import time

with open("collector.lease", "w") as lease:
    fcntl.flock(lease, fcntl.LOCK_EX)
    lease.write(f"collector-{os.getpid()}\n")
    lease.flush()
    print("leads", flush=True)
    readings = []
    while True:
        readings.append(time.time())
        time.sleep(0.5)
