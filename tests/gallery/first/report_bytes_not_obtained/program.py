# SPDX-License-Identifier: Apache-2.0
"""A worker's address space is limited. The extension that draws charts asks Python for the bytes of
a large picture, does not look whether it got them and draws."""

import os
import resource
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chart


def limit_memory(megabytes):
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def draw(values, width, height):
    return chart.draw(values, width, height)


def charts(sizes):
    return [len(draw([3, 7, 4, 9], width, height)) for width, height in sizes]


def run_worker(sizes):
    limit_memory(600)
    print(charts(sizes))


def main():
    run_worker([(640, 480), (1920, 1080), (40_000, 30_000)])


main()
