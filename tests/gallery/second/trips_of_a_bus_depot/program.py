# SPDX-License-Identifier: Apache-2.0
"""Trips of a bus depot are closed by drivers at the end of their shift."""

import os
import threading
from pathlib import Path

from sqlalchemy import create_engine, text
from sqlalchemy.pool import QueuePool

engine = create_engine(
    "sqlite:///depot.db",
    poolclass=QueuePool,
    pool_size=2,
    max_overflow=0,
    pool_timeout=None,
    connect_args={"check_same_thread": False},
)


class Depot:
    """Keeps the trips and the mileage of each bus."""

    def __init__(self, drivers):
        self.shift_change = threading.Barrier(drivers)

    def prepare(self):
        with engine.begin() as connection:
            connection.execute(text("create table trip (bus integer, km real)"))
            connection.execute(text("create table mileage (bus integer, km real)"))
            for bus in (31, 52):
                connection.execute(text("insert into trip values (:bus, 18.5)"), {"bus": bus})

    def close_trip(self, bus):
        with engine.connect() as connection:
            rows = connection.execute(text("select km from trip where bus = :bus"), {"bus": bus})
            km = sum(row.km for row in rows)
            self.shift_change.wait()
            self.note_mileage(bus, km)

    def note_mileage(self, bus, km):
        with engine.begin() as connection:
            connection.execute(
                text("insert into mileage values (:bus, :km)"), {"bus": bus, "km": km}
            )


def main():
    Path("depot.db").unlink(missing_ok=True)
    depot = Depot(drivers=2)
    depot.prepare()
    drivers = [
        threading.Thread(target=depot.close_trip, args=(bus,), name=f"driver-of-{bus}")
        for bus in (31, 52)
    ]
    for driver in drivers:
        driver.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for driver in drivers:
        driver.join()
    print("all trips closed")


if __name__ == "__main__":
    main()
