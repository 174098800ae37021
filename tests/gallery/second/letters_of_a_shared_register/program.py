# SPDX-License-Identifier: Apache-2.0
"""A registry keeps one letter per member in a mapped file and maps it anew when it was replaced."""

import mmap
import os

MEMBERS = 5000


class Register:
    def __init__(self, path):
        self.path = path
        self.edition = 0
        self.pages = None
        self.open()

    def open(self):
        with open(self.path, "r+b") as file:
            pages = mmap.mmap(file.fileno(), 0)
        if self.pages is not None:
            self.pages.close()
        self.pages = pages

    def letter(self, member):
        return chr(self.pages[member])


class Member:
    """A member number as the other services hand it over: with the edition that it belongs to."""

    def __init__(self, register, number, edition):
        self.register, self.number, self.edition = register, number, edition

    def __index__(self):
        if self.edition > self.register.edition:
            self.register.edition = self.edition
            self.register.open()
        return self.number


def main():
    with open("register.dat", "wb") as file:
        file.write(bytes(65 + number % 26 for number in range(MEMBERS)))
    register = Register("register.dat")
    print(register.letter(Member(register, 17, 0)))
    os.replace("register.dat", "register.old")
    with open("register.dat", "wb") as file:
        file.write(bytes(97 + number % 26 for number in range(MEMBERS)))
    print(register.letter(Member(register, 4242, 1)))


main()
