"""Market hall: a dozen clerks share one scale (a lock); each lot is sealed with a checksum."""

import hashlib
import os
import random
import threading
import time


class Scale:
    def __init__(self):
        self.turn = threading.Lock()
        self.lots = 0
        self.kilos = 0.0
        self.seal = b"market"

    def weigh(self, clerk, crates):
        """Weigh one lot; the seal chains each lot to the one before, so it is one by one."""
        with self.turn:
            for crate in crates:
                self.seal = hashlib.pbkdf2_hmac("sha256", self.seal, str(crate).encode(), 3000)
                self.kilos += crate
            self.lots += 1
            return self.seal.hex()[:12]


class Clerk(threading.Thread):
    def __init__(self, name, scale):
        super().__init__(name=name, daemon=True)
        self.scale = scale
        self.random = random.Random(name)
        self.slips = []

    def run(self):
        while True:
            crates = [round(self.random.uniform(8, 30), 1) for _ in range(6)]
            self.slips.append(self.scale.weigh(self.name, crates))
            del self.slips[:-50]


def chalk_board(scale, pause):
    last = 0
    while True:
        time.sleep(pause)
        lots = scale.lots
        print(f"{lots} lots ({lots - last} new), {scale.kilos:.0f} kg", flush=True)
        last = lots


def main():
    scale = Scale()
    clerks = [Clerk(f"clerk-{chr(65 + n)}", scale) for n in range(12)]
    for clerk in clerks:
        clerk.start()
    threading.Thread(target=chalk_board, args=(scale, 1.0), name="board", daemon=True).start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for clerk in clerks:
        clerk.join()


main()
