"""Counting of ballots: one process per district counts; the returning officer sums up."""

import multiprocessing
import os
import random
import threading


def read_district(name, ballots):
    """Return marked ballots as an optical reader would."""
    rng = random.Random(name)
    for serial in range(ballots):
        yield {"serial": serial, "choice": rng.choice("ABCDE"), "clear": rng.random() > 0.01}


def count_district(name, ballots, envelope):
    totals, doubtful = {}, []
    for ballot in read_district(name, ballots):
        if ballot["clear"]:
            totals[ballot["choice"]] = totals.get(ballot["choice"], 0) + 1
        else:
            doubtful.append((ballot["serial"], "image of ballot %06d " % ballot["serial"] * 40))
    envelope.put({"district": name, "totals": totals, "doubtful": doubtful})


class Officer:
    def __init__(self, districts):
        self.districts = districts
        self.envelope = multiprocessing.Queue()
        self.counters = []

    def open_count(self):
        for name, ballots in self.districts.items():
            counter = multiprocessing.Process(
                target=count_district, args=(name, ballots, self.envelope), name=name
            )
            counter.start()
            self.counters.append(counter)

    def close_count(self):
        for counter in self.counters:
            counter.join()
        results = [self.envelope.get() for _ in self.counters]
        return sum(sum(result["totals"].values()) for result in results)


def announce(officer):
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    officer = Officer({"Harbour": 30_000, "Hill": 22_000})
    officer.open_count()
    threading.Timer(3.0, announce, args=(officer,)).start()
    print("counted", officer.close_count())


if __name__ == "__main__":
    main()
