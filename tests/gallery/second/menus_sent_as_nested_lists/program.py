# SPDX-License-Identifier: Apache-2.0
"""Receives the menus of the restaurants of a street."""

import concurrent.futures

from menus import MenuService, Till


def main():
    service = MenuService()
    anchor = Till("The Anchor", ["soup", ["trout", "rice"], "pear"])
    linden = Till("Linden", ["dumplings", ["cabbage", 2], "cheese"])
    linden.append("plum cake", times=3)
    mill = Till("Old Mill", ["bread", ["eel", "beans"]])
    mill.append("dish of the day", times=250_000)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for till, size in zip((anchor, linden), pool.map(service.receive, (anchor, linden))):
            print(till.name, size, flush=True)
        print(mill.name, pool.submit(service.receive, mill).result())


if __name__ == "__main__":
    main()
