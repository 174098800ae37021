# SPDX-License-Identifier: Apache-2.0
# corpus: {"child": true}
"""Die in a forked child whose parent had more threads; the child holds a lock it inherited."""

import os
import threading

import deathbed

lock = threading.Lock()


def holder():
    lock.acquire()
    deathbed.parked.append(threading.get_ident())
    threading.Event().wait()


def in_child():
    deathbed.die(deathbed.prepare("raise"), facts={"parent": os.getppid()})


def main():
    threading.Thread(target=holder, name="holder", daemon=True).start()
    deathbed.gather(1)
    child = os.fork()
    if child == 0:
        in_child()
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
