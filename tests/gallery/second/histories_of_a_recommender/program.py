# SPDX-License-Identifier: Apache-2.0
"""Loads the histories of a recommender in the background of its start."""

import ctypes
import pathlib
import resource
import threading


class Recommender:
    def __init__(self):
        path = pathlib.Path(__file__).resolve().with_name("taste.so")
        self.taste = ctypes.CDLL(str(path))
        self.taste.start_loading.argtypes = [ctypes.c_ulong, ctypes.c_ulong]
        self.ready = threading.Event()

    def start(self, users, per_user):
        self.taste.start_loading(users, per_user)
        threading.Thread(target=self.wait, name="loading", daemon=True).start()

    def wait(self):
        print(self.taste.finish_loading(), "users")
        self.ready.set()


def main():
    limit = 320 << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    recommender = Recommender()
    recommender.start(50_000, 1000)
    recommender.ready.wait()


if __name__ == "__main__":
    main()
