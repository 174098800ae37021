# SPDX-License-Identifier: Apache-2.0
"""Ask a provider for exchange rates, five requests a second at most."""

import os
import threading
import time


class Allowance:
    def __init__(self, requests, period):
        self.free = threading.BoundedSemaphore(requests)
        self.period = period
        self.thread = threading.Thread(target=self.refill, name="refill", daemon=True)

    def refill(self):
        while True:
            time.sleep(self.period)
            self.free.release()

    def take(self):
        self.free.acquire()


class RateClient:
    def __init__(self, allowance):
        self.allowance = allowance
        self.rates = {}

    def ask_rate(self, currency):
        self.allowance.take()
        self.rates[currency] = 1.0 + len(currency) / 10


def refresh_rates(client, currencies):
    threads = [
        threading.Thread(target=client.ask_rate, args=(currency,), name="rate-" + currency)
        for currency in currencies
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    allowance = Allowance(5, 0.1)
    allowance.thread.start()
    time.sleep(0.5)  # the configuration is loaded
    threading.Timer(0.5, tell).start()
    refresh_rates(RateClient(allowance), ["USD", "CHF", "GBP", "SEK", "NOK", "DKK", "PLN", "CZK"])


main()
