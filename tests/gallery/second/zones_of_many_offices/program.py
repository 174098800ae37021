# SPDX-License-Identifier: Apache-2.0
"""Tells the opening hours of offices; each thread has zones of its own."""

import datetime
import threading
import weakref
import zoneinfo


class ZonesOfThread(threading.local):
    def __init__(self):
        self.zones = weakref.WeakValueDictionary()


class PerThread:
    """The cache of the running thread, copied so that no other thread sees it change."""

    def __init__(self):
        self.local = ZonesOfThread()

    def __get__(self, instance, owner):
        return self.local.zones.copy()


class OfficeZone(zoneinfo.ZoneInfo):
    def opens(self, day):
        return datetime.datetime(2024, 3, day, 9, tzinfo=self)


OfficeZone._weak_cache = PerThread()

OFFICES = {
    "Wien": "Europe/Vienna",
    "Quito": "America/Guayaquil",
    "Perth": "Australia/Perth",
    "Oslo": "Europe/Oslo",
    "Lima": "America/Lima",
    "Delhi": "Asia/Kolkata",
}


def hours(day):
    for office, key in OFFICES.items():
        yield office, OfficeZone(key).opens(day).isoformat()


def main():
    zoneinfo.ZoneInfo("Europe/Vienna")
    for day in range(1, 31):
        print(day, dict(hours(day)), flush=True)


if __name__ == "__main__":
    main()
