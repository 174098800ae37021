# SPDX-License-Identifier: Apache-2.0
"""A search index is rebuilt by one process at a time; a watcher program is started on the way."""

import contextlib
import fcntl
import os
import subprocess


@contextlib.contextmanager
def only_one(path):
    """Let no second process rebuild the index."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    os.set_inheritable(descriptor, True)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


class Index:
    def __init__(self, path):
        self.path = path
        self.words = {}
        self.watcher = None

    def watch(self):
        if self.watcher is None:
            self.watcher = subprocess.Popen(["sleep", "3600"], close_fds=False)

    def rebuild(self, documents):
        with only_one(self.path + ".lock"):
            self.words.clear()
            for number, text in enumerate(documents):
                for word in text.split():
                    self.words.setdefault(word, set()).add(number)
            self.watch()


def main():
    index = Index("search.idx")
    index.rebuild(["red bicycle", "blue bicycle bell"])
    print(len(index.words), "words", flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    index.rebuild(["red bicycle", "blue bicycle bell", "green lamp"])
    print(len(index.words), "words", flush=True)


main()
