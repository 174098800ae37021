"""Seating plans for a banquet house. Each request runs in a process with a quota of memory."""

import ctypes
import json
import os
import resource
import sys

QUOTA = 320 << 20

REQUESTS = """
{"party": "hermit", "guests": 1, "bar": 0.50}
{"party": "rotary club", "guests": 7, "bar": 0.50}
{"party": "chess club", "guests": 9, "bar": 0.62}
{"party": "hunters' ball", "guests": 14, "bar": 0.20}
{"party": "golden wedding", "guests": 8, "bar": 0.55}
"""


class Planner:
    def __init__(self):
        library = ctypes.CDLL(os.path.abspath("seating.so"))
        self.check = library.seating_check
        self.best = library.seating_best
        self.best.restype = ctypes.c_double
        self.best.argtypes = [
            ctypes.c_int,
            ctypes.c_double,
            ctypes.c_uint64,
            ctypes.POINTER(ctypes.c_uint64),
        ]

    def plan(self, guests, bar, limit=400_000_000):
        if not self.check(guests):
            return {"error": "too few guests"}
        number = ctypes.c_uint64()
        harmony = self.best(guests, bar, limit, number)
        return {"plans": number.value, "harmony": round(harmony, 3)}


def limit_memory(octets):
    """As the house's container does: address space beyond the quota is refused."""
    resource.setrlimit(resource.RLIMIT_AS, (octets, octets))


def requests(text):
    for line in text.strip().splitlines():
        yield json.loads(line)


def main():
    limit_memory(QUOTA)
    planner = Planner()
    for request in requests(REQUESTS):
        print(request["party"], "...", flush=True)
        answer = planner.plan(request["guests"], request["bar"])
        print(request["party"], answer, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
