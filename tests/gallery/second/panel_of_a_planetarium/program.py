# SPDX-License-Identifier: Apache-2.0
"""A planetarium: the panel shows the sky's time, the dome's warmth and the seats taken."""

import os
import threading
import time

from panel import Panel


class Instrument(threading.Thread):
    """Measures, and shows on the panel what it measured."""

    def __init__(self, name, panel, every, measure):
        super().__init__(name=name)
        self.panel, self.every, self.measure = panel, every, measure
        self._stopped = threading.Event()
        self.shown = 0

    def run(self):
        while not self._stopped.is_set():
            time.sleep(self.every)  # a measurement takes its time
            text = self.measure(self.shown)
            self.panel.run_on_main(self.panel.draw, self.name, text)
            self.shown += 1

    def stop(self):
        self._stopped.set()
        self.join()


class Show(threading.Thread):
    def __init__(self, panel, minutes):
        super().__init__(name="show", daemon=True)
        self.panel, self.minutes = panel, minutes

    def run(self):
        time.sleep(self.minutes * 0.1)
        self.panel.post(self.panel.close)
        time.sleep(1)
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        threading.Event().wait()


def main():
    panel = Panel()
    instruments = [
        Instrument("sidereal time", panel, 0.01, lambda n: f"{n // 60:02}:{n % 60:02}"),
        Instrument("dome", panel, 0.02, lambda n: f"{18 + n % 5 / 10} degrees"),
        Instrument("seats", panel, 0.05, lambda n: str(min(n * 3, 212))),
    ]
    for instrument in instruments:
        panel.on_close.append(instrument.stop)
        instrument.start()
    Show(panel, 6).start()
    panel.main_loop()
    print(panel.lines)


if __name__ == "__main__":
    main()
