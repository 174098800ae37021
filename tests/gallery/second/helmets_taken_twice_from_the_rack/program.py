# SPDX-License-Identifier: Apache-2.0
"""Two gates of a quarry lend helmets from one rack, a C library called by two threads without the
interpreter lock. In the evening, helmets that were lent are scrapped and new ones are bought."""

import ctypes
import os
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
WATCH = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int)

rack = ctypes.CDLL(os.path.join(HERE, "rack.so"))
rack.rack_watch.argtypes = [WATCH]
rack.rack_take.restype = ctypes.c_void_p
rack.helmet_worn.argtypes = [ctypes.c_void_p]
rack.helmet_scrap.argtypes = [ctypes.c_void_p]


class Camera:
    """Films the rack: one picture whenever a helmet is taken; both gates share the film."""

    def __init__(self, gates):
        self.exposure = threading.Barrier(gates)
        self.pictures = []
        self.function = WATCH(self.picture)

    def picture(self, number, left):
        self.exposure.wait()
        self.pictures.append((threading.current_thread().name, number, left))


class Gate(threading.Thread):
    def __init__(self, name, visitors):
        super().__init__(name=name)
        self.visitors = visitors
        self.lent = {}

    def run(self):
        for visitor in self.visitors:
            helmet = rack.rack_take()
            if helmet is None:
                print(f"{self.name}: no helmet for {visitor}", flush=True)
            else:
                self.lent[visitor] = helmet


class Quarry:
    def __init__(self, helmets):
        rack.rack_fill(helmets)
        self.book = []
        self.camera = Camera(2)
        rack.rack_watch(self.camera.function)
        self.gates = [
            Gate("north-gate", ["Adomeit", "Brandt", "Cordes"]),
            Gate("south-gate", ["Dierks", "Eggers", "Focken"]),
        ]

    def day(self):
        for gate in self.gates:
            gate.start()
        for gate in self.gates:
            gate.join()
        worn = sum(rack.helmet_worn(helmet) for gate in self.gates for helmet in gate.lent.values())
        print(len(self.camera.pictures), "pictures, worn", worn, "times", flush=True)

    def evening(self):
        """Scrap what was lent; return how many helmets that were."""
        scrapped = 0
        for gate in self.gates:
            for visitor, helmet in sorted(gate.lent.items()):
                rack.helmet_scrap(helmet)
                scrapped += 1
                self.book.append(f"{gate.name}: helmet of {visitor}")
        return scrapped


def main():
    quarry = Quarry(20)
    quarry.day()
    print("scrapped:", quarry.evening())
    return 0


if __name__ == "__main__":
    sys.exit(main())
