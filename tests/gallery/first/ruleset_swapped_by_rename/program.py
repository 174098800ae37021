# SPDX-License-Identifier: Apache-2.0
"""A mail filter that reads its rule set anew when the file was written: inotify(7) by ctypes."""

import ctypes
import json
import os
import struct
import sys
import tempfile
import threading

IN_MODIFY, IN_CLOSE_WRITE = 0x2, 0x8
HEAD = struct.Struct("iIII")
libc = ctypes.CDLL(None, use_errno=True)


def say(*words):
    print("filter:", *words, flush=True)


class Watch:
    def __init__(self, path):
        self.path = path
        self.fd = libc.inotify_init()
        self.mark = libc.inotify_add_watch(self.fd, os.fsencode(path), IN_MODIFY | IN_CLOSE_WRITE)
        if self.mark < 0:
            raise OSError(ctypes.get_errno(), path)

    def next_event(self):
        """Wait for the next event of the file: its mask."""
        block = os.read(self.fd, 4096)
        return HEAD.unpack_from(block)[1]


class RuleSet:
    def __init__(self, path):
        self.path = path
        self.version, self.rules = 0, {}
        self.changed = threading.Condition()
        self.load()

    def load(self):
        with open(self.path) as file:
            rules = json.load(file)
        with self.changed:
            self.version, self.rules = rules.pop("version"), rules
            self.changed.notify_all()
        say("rules of version", self.version)

    def wait_for_version(self, version):
        with self.changed:
            while self.version < version:
                self.changed.wait()

    def follow(self, watch):
        while True:
            mask = watch.next_event()
            if mask & IN_CLOSE_WRITE:
                self.load()


def deploy(path, version):
    """Write a new rule set whole or not at all, and put it in the place of the old one."""
    handle, fresh = tempfile.mkstemp(dir=os.path.dirname(path))
    with os.fdopen(handle, "w") as file:
        json.dump({"version": version, "spam": ["lottery", "crypto"][:version]}, file)
    os.replace(fresh, path)
    say("deployed version", version)


def main():
    folder = tempfile.mkdtemp(prefix="rules-")
    path = os.path.join(folder, "rules.json")
    deploy(path, 1)
    rule_set = RuleSet(path)
    watch = Watch(path)
    threading.Thread(
        target=rule_set.follow, args=(watch,), name="follow-rules", daemon=True
    ).start()
    deploy(path, 2)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    rule_set.wait_for_version(2)
    say("mail is open again", rule_set.rules)
    return 0


sys.exit(main())
