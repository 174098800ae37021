# SPDX-License-Identifier: Apache-2.0
"""A bit of a field of a function that was NULL is flipped from outside; later the function goes.

Where the field is: the word of a twin that holds the twin's keyword defaults.
"""

import json
import os


def make_rate(percent):
    def rate(amount, minimum=percent):
        return max(minimum, amount * percent // 100)

    return rate


def make_twin(percent):
    def rate(amount, minimum=percent, *, limit=90):
        return min(limit, max(minimum, amount * percent // 100))

    return rate


def offset_of_keyword_defaults():
    twin = make_twin(3)
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        for offset in range(16, 128, 8):
            memory.seek(id(twin) + offset)
            if int.from_bytes(memory.read(8), "little") == id(twin.__kwdefaults__):
                return offset
    raise SystemExit("no such field")


def settle(rates, amounts):
    return sum(rate(amount) for rate in rates for amount in amounts)


def main():
    rates = [make_rate(percent) for percent in range(3, 60)]
    place = id(rates[20]) + offset_of_keyword_defaults()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[place, 29]]}) + "\n")
    input()
    print(settle(rates[:20], range(100, 200)))
    while rates:
        rates.pop()


main()
