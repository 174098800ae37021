# SPDX-License-Identifier: Apache-2.0
"""A backup agent notes who owns the files of the volumes that it saves."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
agent = ctypes.CDLL(os.path.join(HERE, "owners.so"))
agent.describe_owner.argtypes = [ctypes.c_uint, ctypes.c_char_p, ctypes.c_size_t]

INVENTORY = [("/var/log/syslog", 0), ("/srv/app/uploads/1.jpg", 1000730000)]


class Manifest:
    def __init__(self):
        self.lines = []

    def note(self, path, uid):
        owner = ctypes.create_string_buffer(64)
        agent.describe_owner(uid, owner, len(owner))
        self.lines.append(f"{path}\t{owner.value.decode()}")


def main():
    manifest = Manifest()
    for path, uid in INVENTORY:
        manifest.note(path, uid)
    print(manifest.lines)


main()
