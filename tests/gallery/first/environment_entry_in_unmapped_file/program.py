# SPDX-License-Identifier: Apache-2.0
"""A cron service loads its settings into the environment, and later prints local times."""

import ctypes
import os
import time

native = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "settings.so"))
native.settings_load.argtypes = [ctypes.c_char_p]


def load_settings(path):
    with open(path, "w") as file:
        file.write("CRON_USER=www\nCRON_SHELL=/bin/sh\n")
    return native.settings_load(path.encode())


def next_runs(start, count):
    return [time.strftime("%H:%M", time.localtime(start + 60 * n)) for n in range(count)]


def show(schedule):
    time.tzset()
    return {name: next_runs(start, 2) for name, start in schedule.items()}


def main():
    print(load_settings("cron.env"))
    print(show({"backup": 1_700_000_000, "rotate": 1_700_003_600}))


main()
