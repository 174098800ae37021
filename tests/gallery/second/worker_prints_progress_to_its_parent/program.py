# SPDX-License-Identifier: Apache-2.0
"""A scanner service starts a converter for every book, and waits for it to end."""

import os
import subprocess
import sys


def convert_page(number):
    return sum(ord(letter) * number for letter in "page of a book") % 4093


def convert_book(pages):
    for number in range(pages):
        print(f"page {number} of {pages} converted, checksum {convert_page(number)}", flush=True)


def start_converter():
    command = [sys.executable, os.path.abspath(__file__), "convert"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)


def main():
    if sys.argv[1:] == ["convert"]:
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        convert_book(40000)
    else:
        converter = start_converter()
        print("converter ended with", converter.wait())


main()
