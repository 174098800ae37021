# SPDX-License-Identifier: Apache-2.0
"""Spelling service: for each request the native checker looks into the dictionary of its
language. The container allows the service 48 open files."""

import ctypes
import os
import resource

checker = ctypes.CDLL(os.path.abspath("speller.so"))
checker.lookup.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
checker.lookup.restype = ctypes.c_int


class SpellingService:
    def __init__(self, folder, languages):
        self.folder = folder
        for language, words in languages.items():
            with open(self.path(language), "w") as file:
                file.write("\n".join(sorted(words)) + "\n")
        self.answered = 0

    def path(self, language):
        return os.path.join(self.folder, language + ".dic")

    def check(self, language, text):
        self.answered += 1
        path = self.path(language).encode()
        return [word for word in text.split() if not checker.lookup(path, word.encode())]


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (48, 48))
    service = SpellingService(
        os.getcwd(),
        {"en": {"the", "ship", "sails", "north"}, "de": {"das", "schiff", "nach", "norden"}},
    )
    requests = [("en", "the ship sials north"), ("de", "das schif nach norden")] * 20
    for language, text in requests:
        print(service.answered, service.check(language, text), flush=True)


main()
