# SPDX-License-Identifier: Apache-2.0
"""Guided tours of a mine: bookings are taken by threads of gunicorn's workers."""

import json
import os
from pathlib import Path

from gunicorn.app.base import BaseApplication


class Bookings:
    def __init__(self, seats):
        self.seats = seats

    def __call__(self, environ, start_response):
        tour = environ["PATH_INFO"].strip("/")
        left = self.seats.get(tour, 0)
        status = "200 OK" if left else "409 Conflict"
        start_response(status, [("Content-Type", "application/json")])
        return [json.dumps({"tour": tour, "left": left}).encode()]


def opened(worker):
    Path("ready").write_text(f"{os.getpid()}\n")


class TourOffice(BaseApplication):
    def load_config(self):
        self.cfg.set("bind", ["127.0.0.1:0"])
        self.cfg.set("worker_class", "gthread")
        self.cfg.set("threads", 3)
        self.cfg.set("workers", 1)
        self.cfg.set("post_worker_init", opened)

    def load(self):
        return Bookings({"morning": 12, "noon": 0, "evening": 7})


if __name__ == "__main__":
    TourOffice().run()
