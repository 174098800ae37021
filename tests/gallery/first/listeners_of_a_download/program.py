# SPDX-License-Identifier: Apache-2.0
"""Listeners wait for a download; one that resigns takes its companions with it."""

import asyncio


class Listener:
    def __init__(self, name, download):
        self.name, self.download = name, download

    def __call__(self, download):
        print(self.name, "has", download.result())

    def __eq__(self, other):
        if isinstance(other, Listener) and other.name == self.name:
            return True
        self.download.remove_done_callback(other)
        return False

    __hash__ = object.__hash__


def show(download):
    print("shown")


def count(download):
    print("counted")


async def main():
    download = asyncio.get_running_loop().create_future()
    download.add_done_callback(show)
    for _ in range(80):
        download.add_done_callback(count)
    download.remove_done_callback(Listener("preview", download))
    download.set_result("film.mp4")
    await asyncio.sleep(0)


asyncio.run(main())
