# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die beside threads with hard names: not ASCII, long, renamed, odd, none at all.

A thread that `_thread` started has no name until it asks for its Thread object.
"""

import _thread
import threading

import deathbed

NAMES = [
    "ärger",
    "поток",
    "スレッド",
    "😀 𠮷",
    "long " * 700,
    "lone \udc80 surrogate",
    "new\nline\x1b[31m\x00nul",
    " ",
    7,
]
native_ids = {}


class Renaming(threading.Thread):
    def run(self):
        self.name = "renamed é"
        wait()


def wait():
    deathbed.parked.append(threading.get_ident())
    threading.Event().wait()


def without_thread():
    native_ids[threading.get_ident()] = threading.get_native_id()
    deathbed.parked.append(1)
    lock = _thread.allocate_lock()
    lock.acquire()
    lock.acquire()


def with_dummy():
    threading.current_thread().name += " of a dummy"
    native_ids[threading.get_ident()] = threading.get_native_id()
    without_thread()


def main():
    for name in NAMES:
        threading.Thread(target=wait, name=name, daemon=True).start()
    Renaming(name="first name", daemon=True).start()
    threading.Thread(target=wait).start()  # Thread-1, or Thread-1 (wait) since 3.10
    _thread.start_new_thread(without_thread, ())
    _thread.start_new_thread(with_dummy, ())
    threading.current_thread().name = "main, renamed"
    way = deathbed.prepare("raise")
    deathbed.gather(len(NAMES) + 4)
    others = deathbed.other_threads()
    for one in others:
        one["native_id"] = one["native_id"] or native_ids[one["ident"]]
    deathbed.die(way, others=others)


if __name__ == "__main__":
    main()
