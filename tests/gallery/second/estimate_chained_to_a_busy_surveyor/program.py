"""Damage estimates of an insurer: photos are measured on one licensed engine, then priced."""

import concurrent.futures
import logging
import os
import sys
import threading

logging.basicConfig(
    stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(name)s %(message)s"
)
log = logging.getLogger("estimates")

PRICES = {"bumper": 410.0, "door": 690.0, "mirror": 120.5, "windscreen": 530.0}


class Claim:
    def __init__(self, number, parts):
        self.number = number
        self.parts = parts
        self.estimate = None
        self.settled = threading.Event()


class Engine:
    """The measuring engine: licensed for a single thread, hence one worker."""

    def __init__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="engine")
        self.measured = 0

    def measure(self, part):
        self.measured += 1
        return 0.25 + len(part) % 4 * 0.2

    def submit(self, part):
        return self.pool.submit(self.measure, part)

    def measure_all(self, parts):
        return {part: self.submit(part).result() for part in parts}


class Desk:
    def __init__(self, engine):
        self.engine = engine
        self.claims = {}

    def open(self, claim):
        self.claims[claim.number] = claim
        first = self.engine.submit(claim.parts[0])
        first.add_done_callback(lambda future: self.priced(claim, future))
        return first

    def priced(self, claim, future):
        """The first photo is measured: price it; severe damage asks for the other photos too."""
        severity = future.result()
        amount = severity * PRICES[claim.parts[0]]
        if severity > 0.6 and len(claim.parts) > 1:
            log.info("claim %s: severe, all photos are looked at", claim.number)
            rest = self.engine.measure_all(claim.parts[1:])
            amount += sum(share * PRICES[part] for part, share in rest.items())
        claim.estimate = round(amount, 2)
        log.info("claim %s: %.2f", claim.number, claim.estimate)
        claim.settled.set()


def inbox():
    yield Claim("K-1001", ["door"])
    yield Claim("K-1002", ["windscreen", "mirror"])
    yield Claim("K-1003", ["mirror", "bumper"])
    yield Claim("K-1004", ["mirror"])
    yield Claim("K-1005", ["bumper", "door", "mirror"])


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    desk = Desk(Engine())
    claims = list(inbox())
    for claim in claims:
        desk.open(claim)
    threading.Timer(1.0, announce).start()
    for claim in claims:
        claim.settled.wait()
        print("letter for", claim.number, claim.estimate, flush=True)
    log.info("all letters written")


if __name__ == "__main__":
    main()
