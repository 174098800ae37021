# SPDX-License-Identifier: Apache-2.0
"""An exchange desk whose currencies come as plugins."""

import threading

from plugins import PluginHost


class Teller(threading.Thread):
    def __init__(self, plugin, amounts):
        super().__init__(name="teller")
        self.plugin, self.amounts = plugin, amounts
        self.counted, self.closing = threading.Event(), threading.Event()
        self.total = 0.0

    def run(self):
        for amount in self.amounts:
            self.total += self.plugin.convert(amount, 7.46)
        self.counted.set()
        self.closing.wait()


def main():
    host = PluginHost()
    teller = Teller(host.load("convert"), [100, 250, 40])
    teller.start()
    teller.counted.wait()
    print(teller.total, flush=True)
    host.unload("convert")
    teller.closing.set()
    teller.join()
    print("closed")


if __name__ == "__main__":
    main()
