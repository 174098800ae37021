# SPDX-License-Identifier: Apache-2.0
"""A thread that a C library started calls a Python function without taking the GIL first."""

import time

import sampler


def on_sample(value):
    return value * 2


def main():
    sampler.subscribe(on_sample)
    total = 0
    for _ in range(100):
        time.sleep(0.01)
        total += 1
    print(total)


main()
