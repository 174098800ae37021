# SPDX-License-Identifier: Apache-2.0
"""A bank converts amounts by the rate of the day, which a native module keeps."""

import json
import os

import rates

BIT = 18  # of the pointer to the rates


def convert(amounts):
    return [round(amount * rates.rate(day), 2) for day, amount in enumerate(amounts)]


def main():
    rates.load(3000)
    amounts = [10.0 + number for number in range(500)]
    print(sum(convert(amounts)), flush=True)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[rates.place(), BIT]]}) + "\n")
    input()
    print(sum(convert(amounts)), flush=True)


main()
