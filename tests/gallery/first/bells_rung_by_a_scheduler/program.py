# SPDX-License-Identifier: Apache-2.0
"""Rings the bells of a tower: now for a trial, and then at six in the evening."""

import datetime
import functools
import os
import threading

from scheduling import Scheduler
from tower import Tower


def main():
    tower = Tower(["angelus", "hours"])
    scheduler = Scheduler()
    scheduler.start()
    now = datetime.datetime.now()
    day = datetime.timedelta(days=1)
    for place, name in enumerate(tower.bells):
        trial = now + datetime.timedelta(seconds=0.2 * place)
        scheduler.add(functools.partial(tower.ring, name), trial, day)
    for _ in tower.bells:
        tower.rung.acquire()
    print("trial:", tower.strokes(), flush=True)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    threading.Event().wait()


if __name__ == "__main__":
    main()
