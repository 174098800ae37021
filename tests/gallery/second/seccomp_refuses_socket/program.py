# SPDX-License-Identifier: Apache-2.0
"""The program put itself into a seccomp sandbox that kills for socket(2), and then opens one."""

import ctypes
import socket
import struct

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
KILL_PROCESS, ALLOW, SOCKET = 0x80000000, 0x7FFF0000, 41


def enter_sandbox():
    rules = [(0x20, 0, 0, 0), (0x15, 0, 1, SOCKET), (6, 0, 0, KILL_PROCESS), (6, 0, 0, ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    program = ctypes.create_string_buffer(
        struct.pack("HxxxxxxQ", len(rules), ctypes.addressof(code))
    )
    libc = ctypes.CDLL(None, use_errno=True)
    number = ctypes.c_ulong
    if libc.prctl(PR_SET_NO_NEW_PRIVS, number(1), number(0), number(0), number(0)):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    if libc.prctl(PR_SET_SECCOMP, number(MODE_FILTER), program, number(0), number(0)):
        raise OSError(ctypes.get_errno(), "seccomp")


def report_usage(host):
    with socket.socket() as connection:
        connection.connect((host, 80))


enter_sandbox()
print("in the sandbox", flush=True)
report_usage("127.0.0.1")
