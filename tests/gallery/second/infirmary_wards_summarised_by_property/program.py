"""Bed overview of an infirmary: wards and their sister wards, with figures computed once per object."""

import functools
import logging
import os
import sys
import threading

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(threadName)s %(message)s")
log = logging.getLogger("beds")

both_inside = threading.Barrier(2)


class Archive:
    """Rows as they come from the hospital's information system."""

    def __init__(self):
        self.rows = {
            "surgery": [("A1", 4), ("A2", 2), ("A3", 6)],
            "medicine": [("B1", 8), ("B2", 3)],
            "children": [("C1", 5)],
        }

    def beds(self, department):
        return list(self.rows[department])


class Ward:
    def __init__(self, archive, department):
        self.archive = archive
        self.department = department
        self.relief = None

    @functools.cached_property
    def occupancy(self):
        beds = self.archive.beds(self.department)
        log.info("%s: %d rooms read", self.department, len(beds))
        return sum(number for _, number in beds)

    @functools.cached_property
    def staffing(self):
        """Nurses wanted: depends on how full this ward is."""
        log.info("%s: staffing", self.department)
        meet()
        return 1 + self.occupancy // 4

    @functools.cached_property
    def pressure(self):
        """How full the ward is, together with what its relief ward has to spare."""
        log.info("%s: pressure", self.department)
        own = len(self.archive.beds(self.department)) * 3
        meet()
        return own - (self.relief.staffing if self.relief else 0)


def meet():
    """The overview starts both reports at the same time; the first rooms take equally long."""
    if threading.current_thread().name.startswith("report"):
        both_inside.wait()


class ChildrensWard(Ward):
    """Parents stay over night: its beds follow the pressure next door."""

    @property
    def occupancy(self):
        beds = self.archive.beds(self.department)
        return sum(number for _, number in beds) + self.relief.pressure


def pressure_report(wards):
    log.info("pressure is %d", wards["surgery"].pressure)


def staffing_report(wards):
    ward = wards["children"]
    log.info("staffing of %s", ward.department)
    log.info("nurses: %d", ward.staffing)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    archive = Archive()
    wards = {
        "surgery": Ward(archive, "surgery"),
        "medicine": Ward(archive, "medicine"),
        "children": ChildrensWard(archive, "children"),
    }
    wards["surgery"].relief = wards["medicine"]
    wards["children"].relief = wards["medicine"]
    reports = [
        threading.Thread(target=pressure_report, args=(wards,), name="report-pressure"),
        threading.Thread(target=staffing_report, args=(wards,), name="report-staffing"),
    ]
    for report in reports:
        report.start()
    announce()
    for report in reports:
        report.join()
    log.info("overview printed")


main()
