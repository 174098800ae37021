# SPDX-License-Identifier: Apache-2.0
"""Offsets of the stamps of a message, asked of the zone without making a datetime of each."""

import datetime
import zoneinfo


class WireStamp(bytes):
    """A stamp as it came: b"2024-03-31T02:30:00"."""

    __slots__ = ()

    def toordinal(self):
        year, month, day = (int(part) for part in self[:10].split(b"-"))
        return datetime.date(year, month, day).toordinal()

    hour = property(lambda self: int(self[11:13]))
    minute = property(lambda self: int(self[14:16]))
    second = property(lambda self: int(self[17:19]))


def offsets(zone, stamps):
    return [zone.utcoffset(stamp) for stamp in stamps]


zone = zoneinfo.ZoneInfo("Europe/Berlin")
message = [WireStamp(b"%d-09-02T14:34:56" % year) for year in range(1980, 2000)]
for offset in offsets(zone, message):
    print(offset)
