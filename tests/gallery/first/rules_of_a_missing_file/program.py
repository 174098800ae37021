# SPDX-License-Identifier: Apache-2.0
"""Rules of a mail filter are counted."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("rule_file.so"))
library.rules_count.argtypes = [ctypes.c_char_p]


def rules(path):
    return library.rules_count(path.encode())


def main():
    with open("mail.rules", "w", encoding="utf-8") as file:
        file.write("from boss: inbox\nfrom shop: bin\n")
    print(rules("mail.rules"), flush=True)
    print(rules("holiday.rules"))


main()
