# SPDX-License-Identifier: Apache-2.0
"""Build the modules of a project in processes, two at a time, by tokens in a pipe."""

import multiprocessing
import os
import threading

MODULES = ["core", "net", "gui", "cli", "docs"]
BROKEN = {"net", "gui"}


class JobBudget:
    def __init__(self, jobs):
        self.reader, self.writer = os.pipe()
        os.write(self.writer, b"+" * jobs)

    def take_token(self):
        return os.read(self.reader, 1)

    def give_token(self, token):
        os.write(self.writer, token)


def build_module(budget, token, module):
    if module in BROKEN:
        raise SystemExit("%s: a header was not found" % module)
    with open(module + ".built", "w") as file:
        file.write(module)
    budget.give_token(token)


def build_all(budget, modules):
    context = multiprocessing.get_context("fork")
    builds = []
    for module in modules:
        token = budget.take_token()
        build = context.Process(target=build_module, args=(budget, token, module), name=module)
        build.start()
        builds.append(build)
    for build in builds:
        build.join()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    timer = threading.Timer(1, tell)
    budget = JobBudget(2)
    timer.start()
    build_all(budget, MODULES)


main()
