# SPDX-License-Identifier: Apache-2.0
"""Keeps the sessions of a tram planner; each user has one, and a new one replaces it."""

import os
import threading
import time
import weakref
from pathlib import Path


class Session:
    def __init__(self, user: str, seats: int) -> None:
        self.user = user
        self.seats = seats
        self.routes: list[str] = []


class Registry:
    def __init__(self, licences: int) -> None:
        self.licences = licences
        self.open: dict[str, Session] = {}
        self.mutex = threading.Lock()

    def give_back(self, seats: int) -> None:
        with self.mutex:
            self.licences += seats

    def log_in(self, user: str, seats: int = 1) -> Session:
        session = Session(user, seats)
        weakref.finalize(session, self.give_back, seats)
        with self.mutex:
            if self.licences < seats:
                raise RuntimeError("no licence is free")
            self.licences -= seats
            self.open[user] = session
        return session


def serve(registry: Registry, users: list[str]) -> None:
    for user in users:
        session = registry.log_in(user)
        session.routes.append("depot - market - harbour")
        time.sleep(0.01)


def main() -> None:
    registry = Registry(50)
    shifts = [["ana", "bo", "cy", "bo"], ["dee", "eli", "fay"], ["gus", "dee", "hal"]]
    Path("ready").write_text(f"{os.getpid()}\n")
    desks = [
        threading.Thread(target=serve, args=(registry, users), name=f"desk-{number}")
        for number, users in enumerate(shifts)
    ]
    for desk in desks:
        desk.start()
    for desk in desks:
        desk.join()
    print(registry.licences)


if __name__ == "__main__":
    main()
