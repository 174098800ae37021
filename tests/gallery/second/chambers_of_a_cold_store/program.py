# SPDX-License-Identifier: Apache-2.0
"""Fish is brought into a chamber of a cold store once the chamber is cold enough."""

import dataclasses
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Chamber:
    name: str
    limit: float
    temperature: float = 11.5
    changed: threading.Condition = field(default_factory=threading.Condition)

    def record(self, temperature):
        with self.changed:
            self.temperature = temperature
            self.changed.notify_all()

    def await_cold(self):
        with self.changed:
            self.changed.wait_for(lambda: self.temperature <= self.limit)
        return self.temperature


def cool_down(chamber):
    temperature = chamber.temperature
    while temperature > -24:
        time.sleep(0.01)
        temperature -= 1.5
        chamber.record(temperature)


class Store:
    def __init__(self):
        self.chambers = {"cod": Chamber("cod", limit=-18.0)}

    def tighten(self, name, limit):
        self.chambers[name] = dataclasses.replace(self.chambers[name], limit=limit)

    def bring_in(self, name, pallets):
        temperature = self.chambers[name].await_cold()
        print(f"{pallets} pallets into {name} at {temperature}")


def main():
    store = Store()
    cooler = threading.Thread(target=cool_down, args=(store.chambers["cod"],), name="cooler")
    cooler.start()
    store.tighten("cod", -20.0)
    porter = threading.Thread(target=store.bring_in, args=("cod", 14), name="porter")
    porter.start()
    cooler.join()
    Path("ready").write_text(f"{os.getpid()}\n")
    porter.join()


if __name__ == "__main__":
    main()
