# SPDX-License-Identifier: Apache-2.0
"""Small build tool with a jobserver like that of make: as many bytes lie in a pipe as compilers
may run; who starts one reads a byte, who has ended one writes it back."""

import os
import subprocess
import sys
import threading


class JobServer:
    def __init__(self, jobs):
        self.reader, self.writer = os.pipe()
        os.write(self.writer, b"+" * jobs)

    def acquire(self):
        return os.read(self.reader, 1)

    def give_back(self, permit):
        os.write(self.writer, permit)


FAILED = []


def note_failure(name):
    FAILED.append(name)
    if len(FAILED) == 2:
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())


class Target:
    def __init__(self, name, source):
        self.name, self.source = name, source

    def build(self, server, permit):
        command = [sys.executable, "-c", self.source]
        compiler = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if compiler.returncode:
            note_failure(self.name)
            raise RuntimeError("%s: compiler ended with %d" % (self.name, compiler.returncode))
        server.give_back(permit)


def build_all(targets, jobs=2):
    server = JobServer(jobs)
    running = []
    for target in targets:
        permit = server.acquire()
        builder = threading.Thread(
            target=target.build, args=(server, permit), name="build-" + target.name
        )
        builder.start()
        running.append(builder)
    for builder in running:
        builder.join()


def main():
    sources = {
        "config": "print('ok')", "parser": "import missing_header", "tables": "1 / 0",
        "engine": "print('ok')", "shell": "print('ok')",
    }  # fmt: skip
    build_all([Target(name, source) for name, source in sources.items()])


main()
