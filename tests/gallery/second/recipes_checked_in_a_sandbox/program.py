# SPDX-License-Identifier: Apache-2.0
"""Checks recipes of strangers in a process that may no longer open sockets."""

import ctypes
import json
import socket
import struct

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
SYS_SOCKET, ALLOW, KILL_PROCESS = 41, 0x7FFF0000, 0x80000000


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def forbid_sockets():
    steps = [
        (0x20, 0, 0, 0),
        (0x15, 0, 1, SYS_SOCKET),
        (0x06, 0, 0, KILL_PROCESS),
        (0x06, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = Program(len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if libc.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


class Checker:
    def __init__(self):
        self.problems = []

    def check(self, text):
        recipe = json.loads(text)
        for ingredient, grams in recipe["ingredients"].items():
            if grams <= 0:
                self.report(recipe["name"], ingredient)

    def report(self, name, ingredient):
        self.problems.append((name, ingredient))
        log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            log.sendto(f"{name}: {ingredient}".encode(), "/run/recipes/log")
        except OSError:
            pass
        finally:
            log.close()


def main():
    forbid_sockets()
    checker = Checker()
    for number in range(40):
        recipe = {"name": f"soup {number}", "ingredients": {"leek": 200, "salt": 9 - number}}
        checker.check(json.dumps(recipe))
        print(recipe["name"], len(checker.problems), "problems", flush=True)


if __name__ == "__main__":
    main()
