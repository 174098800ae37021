# SPDX-License-Identifier: Apache-2.0
"""Fetches the tiles of a hiking map with a few threads, as soon as the service has time."""

import os
from concurrent.futures import ThreadPoolExecutor

from client import MapClient
from service import BusyHandler, start


def main():
    maps = MapClient(start())
    with ThreadPoolExecutor(3, thread_name_prefix="tiles") as pool:
        tiles = [pool.submit(maps.tile, number) for number in range(6)]
        BusyHandler.thrice.wait()
        with open("ready", "w") as told:
            told.write(f"{os.getpid()}\n")
        for tile in tiles:
            print(tile.result())


if __name__ == "__main__":
    main()
