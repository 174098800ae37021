# SPDX-License-Identifier: Apache-2.0
"""Glacier stations are polled by synchronous workers over one shared asyncio loop in a thread."""

import asyncio
import logging
import os
import queue
import threading

logging.basicConfig(level=logging.INFO, format="%(threadName)s %(message)s")
log = logging.getLogger("glaciers")


class LoopThread:
    """Runs a loop beside a synchronous program."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, name="radio-loop", daemon=True)
        self.thread.start()

    def _run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        log.info("loop stopped")

    def call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()


class Radio:
    """The stations answer when the satellite is over them; a pass begins with `overhead`."""

    def __init__(self):
        self.asked = threading.Event()
        self.overhead = None

    async def poll(self, station):
        if station == "Aletsch":
            self.asked.set()
            self.overhead = asyncio.Event()
            await self.overhead.wait()
        await asyncio.sleep(0.01)
        return {"station": station, "melt": len(station) * 1.5}


class Poller(threading.Thread):
    def __init__(self, number, loop, radio, stations, results):
        super().__init__(name=f"poller-{number}")
        self.loop, self.radio, self.stations, self.results = loop, radio, stations, results

    def run(self):
        while True:
            station = self.stations.get()
            if station is None:
                return
            self.results.append(self.loop.call(self.radio.poll(station)))


def shut_down(loop, pollers, stations):
    log.info("shutting down")
    loop.stop()
    for _ in pollers:
        stations.put(None)

    def ready():
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    threading.Timer(0.8, ready).start()
    for poller in pollers:
        poller.join()
    log.info("all pollers have left")


def main():
    loop, radio = LoopThread(), Radio()
    stations, results = queue.Queue(), []
    pollers = [Poller(n, loop, radio, stations, results) for n in range(3)]
    for poller in pollers:
        poller.start()
    for name in ("Morteratsch", "Rhone", "Gorner", "Aletsch", "Trift"):
        stations.put(name)
    radio.asked.wait()
    while len(results) < 4:
        threading.Event().wait(0.02)
    log.info("%d stations read", len(results))
    shut_down(loop, pollers, stations)


if __name__ == "__main__":
    main()
