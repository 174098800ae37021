# SPDX-License-Identifier: Apache-2.0
"""A bakery: while the dough is kneaded, the oven is heated; then the loaves go in."""

import os
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Oven:
    degrees: int = 20
    hot: threading.Condition = field(default_factory=threading.Condition)

    def heat(self, target: int) -> None:
        while self.degrees < target:
            time.sleep(0.01)
            self.degrees += 20
        with self.hot:
            self.hot.notify_all()

    def wait_until_hot(self) -> None:
        with self.hot:
            self.hot.wait()


@dataclass
class Baker:
    name: str
    oven: Oven
    baked: list = field(default_factory=list)

    def knead(self, loaves: int) -> list:
        dough = []
        for number in range(loaves):
            time.sleep(0.1)
            dough.append("loaf %d of %s" % (number, self.name))
        return dough

    def work(self, loaves: int) -> None:
        dough = self.knead(loaves)
        self.oven.wait_until_hot()
        self.baked.extend(dough)


def main() -> None:
    oven = Oven()
    bakers = [Baker(name, oven) for name in ("Ida", "Karl")]
    threads = [threading.Thread(target=baker.work, args=(6,), name=baker.name) for baker in bakers]
    threads.append(threading.Thread(target=oven.heat, args=(240,), name="oven"))
    for thread in threads:
        thread.start()
    threads[-1].join()
    time.sleep(1.0)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for thread in threads:
        thread.join()
    print(sum(len(baker.baked) for baker in bakers), "loaves")


main()
