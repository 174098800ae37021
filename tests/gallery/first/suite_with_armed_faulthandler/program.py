# SPDX-License-Identifier: Apache-2.0
"""A test runner in the manner of pytest: each test has ten minutes before its stacks are shown."""

import faulthandler
import json
import os
import random
import sys
import time

TESTS = []


def case(function):
    TESTS.append(function)
    return function


def encode_runs(text):
    runs = []
    for char in text:
        if runs and runs[-1][0] == char:
            runs[-1][1] += 1
        else:
            runs.append([char, 1])
    return runs


def decode_runs(runs):
    return "".join(char * count for char, count in runs)


@case
def test_empty():
    assert encode_runs("") == []


@case
def test_round_trip_of_many_examples():
    chance = random.Random(11)
    until = time.monotonic() + 90
    while time.monotonic() < until:
        text = "".join(chance.choices("abc", k=chance.randrange(200)))
        assert decode_runs(encode_runs(text)) == text


def run_suite():
    passed = 0
    for test in TESTS:
        faulthandler.dump_traceback_later(600, file=sys.stderr)
        try:
            test()
            passed += 1
        finally:
            faulthandler.cancel_dump_traceback_later()
    return passed


def main():
    faulthandler.enable()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    print("%d passed" % run_suite())


main()
