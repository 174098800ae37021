"""Discharge service of a hydrology office: water levels become flows by rating curves."""

import os
import sys
import threading


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def levels():
    for hour in range(48):
        yield hour, 1.2 + 0.03 * hour


def main():
    timer = threading.Timer(1.5, announce)
    timer.start()
    print("loading the rating curves", flush=True)
    import ratings

    for hour, level in levels():
        print(hour, round(ratings.flow("Weir", level), 2))
    timer.cancel()
    sys.exit(0)


if __name__ == "__main__":
    main()
