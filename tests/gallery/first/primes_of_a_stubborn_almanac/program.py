"""Volunteer computing: tests Mersenne numbers for an almanac, three at a time."""

import itertools
import os
import queue
import sys
import threading
import time

sys.setswitchinterval(0.01)


class Candidate:
    def __init__(self, exponent):
        self.exponent = exponent
        self.modulus = (1 << exponent) - 1
        self.residue = 4
        self.steps = 0

    def step(self):
        """One round of Lucas and Lehmer: a product of two numbers of sixty thousand digits."""
        square = self.residue * self.residue - 2
        low, high = square & self.modulus, square >> self.exponent
        self.residue = low + high
        if self.residue >= self.modulus:
            self.residue -= self.modulus
        self.steps += 1

    def is_prime(self):
        while self.steps < self.exponent - 2:
            self.step()
        return self.residue == 0


class Volunteer(threading.Thread):
    def __init__(self, number, work, results):
        super().__init__(name=f"volunteer-{number}", daemon=True)
        self.work, self.results = work, results
        self.candidate = None

    def run(self):
        while True:
            self.candidate = Candidate(self.work.get())
            self.results.put((self.candidate.exponent, self.candidate.is_prime()))


def progress(volunteers):
    last = 0
    for minute in itertools.count():
        time.sleep(1)
        done = sum(v.candidate.steps for v in volunteers if v.candidate)
        print(f"{minute}: {done} steps, {done - last} new", flush=True)
        last = done


def main():
    work, results = queue.Queue(), queue.Queue()
    for exponent in (216091, 215273, 214433, 213887):
        work.put(exponent)
    volunteers = [Volunteer(n, work, results) for n in range(3)]
    for volunteer in volunteers:
        volunteer.start()
    threading.Thread(target=progress, args=(volunteers,), daemon=True, name="progress").start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for _ in range(4):
        exponent, prime = results.get()
        print(f"2^{exponent}-1 is {'prime' if prime else 'composite'}", flush=True)


main()
