# SPDX-License-Identifier: Apache-2.0
"""A bank renders statements in processes that are replaced often, since the renderer leaks."""

import os
import threading
from concurrent.futures import ProcessPoolExecutor


def ready():
    with open("ready.part", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.part", "ready")


def render(account):
    return "statement of %s" % account


def announce(pending):
    """Tell the supervisor when nothing more has been rendered for a while."""
    quiet, before = 0, 0
    while quiet < 3:
        threading.Event().wait(0.5)
        done = sum(each.done() for each in pending)
        quiet = quiet + 1 if done >= 2 and done == before else 0
        before = done
    ready()


def main():
    with ProcessPoolExecutor(1, max_tasks_per_child=2) as renderers:
        pending = [renderers.submit(render, "DE%04d" % number) for number in range(10)]
        threading.Thread(target=announce, args=(pending,), daemon=True).start()
        for each in pending:
            print(each.result(), flush=True)


if __name__ == "__main__":
    main()
