"""Delivery boxes of a newspaper kiosk: processes share a key by a multiprocessing manager."""

import multiprocessing
import os
import signal
import threading
import time


class Kiosk:
    def __init__(self, manager):
        self.box_key = manager.Lock()
        self.stock = manager.dict()
        self.open = manager.Event()

    def deliver(self, title, copies):
        with self.box_key:
            self.stock[title] = self.stock.get(title, 0) + copies

    def sell(self, title):
        self.box_key.acquire()
        try:
            left = self.stock.get(title, 0)
            if left:
                self.stock[title] = left - 1
            return bool(left)
        finally:
            self.box_key.release()


def courier(kiosk, route):
    for title, copies in route:
        kiosk.deliver(title, copies)
    with kiosk.box_key:
        kiosk.open.set()
        time.sleep(3600)  # counts the returns by hand


def dispatch(kiosk, route):
    process = multiprocessing.Process(target=courier, args=(kiosk, route), name="courier")
    process.start()
    kiosk.open.wait()
    return process


def end_shift(process):
    """The supervisor's time limit for couriers."""
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    print("courier ended with", process.exitcode, flush=True)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    with multiprocessing.Manager() as manager:
        kiosk = Kiosk(manager)
        process = dispatch(kiosk, [("Courier", 40), ("Mail", 25), ("Times", 10)])
        end_shift(process)
        timer = threading.Timer(1.5, announce)
        timer.start()
        sold = 0
        for title in ("Courier", "Mail", "Times") * 20:
            sold += kiosk.sell(title)
        print("sold", sold)
        timer.cancel()


if __name__ == "__main__":
    main()
