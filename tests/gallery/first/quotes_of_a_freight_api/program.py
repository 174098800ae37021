# SPDX-License-Identifier: Apache-2.0
"""Freight quotes: greenlets borrow one of a few connections to the pricing backend."""

import itertools
import os
from pathlib import Path

import gevent
from gevent.queue import LifoQueue, Queue

LANES = {"HAM-OSL": 410, "HAM-RIX": 520, "GDN-OSL": 610, "LBC-TLL": 480}


class Backend:
    def __init__(self, number):
        self.number = number
        self.asked = 0

    def price(self, lane, tonnes):
        gevent.sleep(0.01)
        self.asked += 1
        return LANES[lane] * tonnes


class BackendPool:
    def __init__(self, size):
        self.idle = LifoQueue()
        for number in range(size):
            self.idle.put(Backend(number))

    def borrow(self):
        return self.idle.get()

    def give_back(self, backend):
        self.idle.put(backend)


def quote(pool, lane, tonnes):
    backend = pool.borrow()
    amount = backend.price(lane, tonnes)
    pool.give_back(backend)
    return {"lane": lane, "amount": amount}


def handler(pool, requests, answers):
    for lane, tonnes in requests:
        try:
            answers.append(quote(pool, lane, tonnes))
        except KeyError as error:
            answers.append({"status": 404, "lane": str(error)})


def heartbeat(beats):
    while True:
        beats.append(len(beats))
        gevent.sleep(0.5)


def export_metrics(answers, exported):
    while True:
        gevent.sleep(0.7)
        exported.put(len(answers))


def main():
    pool = BackendPool(3)
    answers, beats, exported = [], [], Queue()
    lanes = itertools.islice(itertools.cycle([*LANES, "GDN-HEL"]), 40)
    requests = iter([(lane, 3 + n % 5) for n, lane in enumerate(lanes)])
    gevent.spawn(heartbeat, beats)
    gevent.spawn(export_metrics, answers, exported)
    handlers = [gevent.spawn(handler, pool, requests, answers) for _ in range(4)]
    Path("ready").write_text(f"{os.getpid()}\n")
    gevent.joinall(handlers)
    print(len(answers), "quotes")


if __name__ == "__main__":
    main()
