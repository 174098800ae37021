# SPDX-License-Identifier: Apache-2.0
import time


def steps(count):
    for number in range(count):
        time.sleep(0.002)
        yield number


def build():
    return [f"#{number * 5:02x}{255 - number * 3:02x}80" for number in steps(50)]
