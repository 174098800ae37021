# SPDX-License-Identifier: Apache-2.0
"""A thread of a C library calls Py_FatalError with a message about its calibration."""

import time

import probe


def measure():
    probe.start()
    while True:
        time.sleep(0.05)


measure()
