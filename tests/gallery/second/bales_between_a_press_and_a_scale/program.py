"""A paper mill: the press feeds bales to the scale, the scale sends wet ones back to the press."""

import os
import queue
import threading


class Bale:
    def __init__(self, number, moisture):
        self.number, self.moisture = number, moisture
        self.passes = 0

    def __repr__(self):
        return f"<bale {self.number} {self.moisture:.0%}>"


class Station(threading.Thread):
    def __init__(self, name, inbox, outbox):
        super().__init__(name=name)
        self.inbox, self.outbox = inbox, outbox
        self.handled = 0

    def run(self):
        while True:
            bale = self.inbox.get()
            if bale is None:
                return
            self.handled += 1
            result = self.handle(bale)
            if result is not None:
                self.outbox.put(result)

    def handle(self, bale):
        raise NotImplementedError


class Press(Station):
    def handle(self, bale):
        bale.passes += 1
        bale.moisture *= 0.9
        return bale


class Scale(Station):
    LIMIT = 0.12

    def __init__(self, *args):
        super().__init__(*args)
        self.stored = []

    def handle(self, bale):
        if bale.moisture <= self.LIMIT:
            self.stored.append(bale)
            return None
        return bale


class Mill:
    def __init__(self, places):
        self.to_press = queue.Queue(maxsize=places)
        self.to_scale = queue.Queue(maxsize=places)
        self.press = Press("press", self.to_press, self.to_scale)
        self.scale = Scale("scale", self.to_scale, self.to_press)

    def deliver(self, bales):
        self.press.start()
        self.scale.start()
        for bale in bales:
            self.to_press.put(bale)
        self.press.join()
        self.scale.join()


def watch(mill):
    """Tell the shift leader once the belts stand still."""
    still = 0
    last = None
    pause = threading.Event()
    while still < 10:
        now = (mill.press.handled, mill.scale.handled)
        still = still + 1 if now == last else 0
        last = now
        pause.wait(0.1)
    print("belts stand at", last, flush=True)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    mill = Mill(places=4)
    threading.Thread(target=watch, args=(mill,), name="shift-leader").start()
    mill.deliver(Bale(n, 0.95 + (n % 7) / 200) for n in range(400))


main()
