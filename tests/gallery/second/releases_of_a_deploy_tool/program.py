# SPDX-License-Identifier: Apache-2.0
"""deploy: puts a release in its place; one at a time on a machine."""

import argparse
import contextlib
import fcntl
import itertools
import os
import sys
import threading
from pathlib import Path


@contextlib.contextmanager
def deploy_lock(path):
    with open(path, "a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield handle
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)


class Spinner(threading.Thread):
    def __init__(self):
        super().__init__(name="spinner", daemon=True)
        self.stopped = threading.Event()

    def run(self):
        for sign in itertools.cycle("|/-\\"):
            if self.stopped.wait(0.2):
                return
            sys.stderr.write(f"\r{sign}")


class Site:
    def __init__(self, root):
        self.root = root
        self.lock = root / "deploy.lock"
        root.mkdir(exist_ok=True)

    def publish(self, version):
        with deploy_lock(self.lock):
            release = self.root / version
            release.mkdir(exist_ok=True)
            (release / "VERSION").write_text(version)
            if not self.check(release):
                self.rollback(version)
                return False
            (self.root / "current").write_text(version)
            return True

    def check(self, release):
        return (release / "index.html").exists()

    def rollback(self, version):
        with deploy_lock(self.lock):
            for path in sorted((self.root / version).iterdir()):
                path.unlink()
            (self.root / version).rmdir()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, default=Path("site"))
    parser.add_argument("version", nargs="?", default="2026.11.3")
    options = parser.parse_args()
    spinner = Spinner()
    spinner.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    published = Site(options.root).publish(options.version)
    spinner.stopped.set()
    return 0 if published else 1


if __name__ == "__main__":
    sys.exit(main())
