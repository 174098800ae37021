"""Meter reading of a water works: dials are kept as an array; a dial gives its number when it is asked."""

import array
import logging
import sys
import threading

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(threadName)s: %(message)s")
log = logging.getLogger("meters")


class Dial:
    """A dial counts litres; it is stored as a whole number wherever one is wanted."""

    def __init__(self, meter, litres):
        self.meter = meter
        self.litres = litres

    def __index__(self):
        if self.litres > 99_999:
            self.meter.rolled_over()
            self.litres -= 100_000
        return self.litres


class Meter:
    def __init__(self, household):
        self.household = household
        self.days = array.array("i")
        self.rounds = 0
        self.archived = []

    def begin_month(self, days):
        self.days.extend([0] * days)

    def rolled_over(self):
        """After a roll-over the month begins anew: what was measured goes to the archive."""
        self.rounds += 1
        self.archived.append(self.days.tolist())
        del self.days[:]
        log.info("%s: rolled over for the %d. time", self.household, self.rounds)

    def store(self, day, litres):
        self.days[day] = Dial(self, litres)

    def usage(self):
        return max(self.days) - min(day for day in self.days if day)


class Round(threading.Thread):
    """One reader walks one street."""

    def __init__(self, street, meters, readings):
        super().__init__(name=street)
        self.meters = meters
        self.readings = readings

    def run(self):
        for household, day, litres in self.readings:
            self.meters[household].store(day, litres)
        for household in {household for household, _, _ in self.readings}:
            log.info("%s used %d litres", household, self.meters[household].usage())


def readings(household, first, each, days):
    return [(household, day, first + each * day) for day in range(days)]


def main():
    meters = {name: Meter(name) for name in ("Moser", "Keller", "Frei", "Baumann")}
    for meter in meters.values():
        meter.begin_month(30)
    streets = {
        "Brunnengasse": readings("Moser", 4_100, 310, 30) + readings("Keller", 71_000, 520, 30),
        "Seeweg": readings("Frei", 12_050, 180, 30) + readings("Baumann", 93_400, 410, 30),
    }
    for street, numbers in streets.items():
        walk = Round(street, meters, numbers)
        walk.start()
        walk.join()
    log.info("all streets are read")


main()
