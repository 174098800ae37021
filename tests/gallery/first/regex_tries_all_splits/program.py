# SPDX-License-Identifier: Apache-2.0
"""A pattern with nested repetitions tries all ways to split a line; the regular expression engine
is busy for centuries.
"""

import os
import re

ADDRESS = re.compile(r"^(?:[a-z0-9]+\.?)+@example\.com$")


def check_address(text):
    return ADDRESS.match(text) is not None


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(check_address("a" * 80 + "#"))


main()
