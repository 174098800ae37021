# SPDX-License-Identifier: Apache-2.0
"""Tells how much the bees of a hive move in the course of a morning."""

from hive import Camera, EntranceCounter


def morning(minutes):
    camera = Camera()
    counter = EntranceCounter(range(1500, 1540))
    for minute in range(minutes):
        yield minute, counter.movement(camera.capture())


def main():
    busiest = (0, 0)
    for minute, movement in morning(30):
        print(f"minute {minute}: {movement}", flush=True)
        busiest = max(busiest, (movement, minute))
    print("busiest minute:", busiest[1])


if __name__ == "__main__":
    main()
