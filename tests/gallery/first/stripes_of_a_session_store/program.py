# SPDX-License-Identifier: Apache-2.0
"""Session store of a web shop with striped locks: merging a visitor's cart into an account holds
the stripes of both keys, always in the order of the keys."""

import os
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager


class SessionStore:
    STRIPES = 8

    def __init__(self):
        self.stripes = [threading.Lock() for _ in range(self.STRIPES)]
        self.sessions = {}

    def stripe_of(self, key):
        return self.stripes[zlib.crc32(key.encode()) % self.STRIPES]

    @contextmanager
    def holding(self, *keys, between=None):
        with ExitStack() as held:
            for number, key in enumerate(sorted(set(keys))):
                if number and between is not None:
                    between()
                held.enter_context(self.stripe_of(key))
            yield

    def merge(self, source, target, between=None):
        with self.holding(source, target, between=between):
            cart = self.sessions.pop(source, {})
            kept = self.sessions.setdefault(target, {})
            for article, count in cart.items():
                kept[article] = kept.get(article, 0) + count
            return len(kept)


def main():
    store = SessionStore()
    pairs = [("visitor:40", "account:100"), ("visitor:45", "account:105")]
    for source, target in pairs:
        store.sessions[source] = {"tea": 2, "cup": 1}
        store.sessions[target] = {"tea": 1}
    both_began = threading.Barrier(len(pairs))
    with ThreadPoolExecutor(max_workers=4, thread_name_prefix="merge") as pool:
        merges = [pool.submit(store.merge, *pair, between=both_began.wait) for pair in pairs]
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        done, _ = wait(merges)
        print(sorted(each.result() for each in done))


main()
