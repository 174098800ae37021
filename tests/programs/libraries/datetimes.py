# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""The datetime family: dates, times, zones, spans."""

import datetime
from datetime import timedelta, timezone

from library_values import dying, way


class Moment(datetime.datetime):
    pass


class Fixed(datetime.tzinfo):
    def utcoffset(self, when):
        return timedelta(hours=1)

    def tzname(self, when):
        return "FIX"

    def __repr__(self):
        return "Fixed()"


def dates(death):
    day, first, last = datetime.date(2024, 2, 29), datetime.date.min, datetime.date.max
    moment = datetime.datetime(2024, 2, 29, 12, 30, 45, 123456)
    minute, second = datetime.datetime(2024, 1, 1, 5, 7), datetime.datetime(2024, 1, 1, 0, 0, 1)
    folded = datetime.datetime(2024, 10, 27, 2, 30, fold=1)
    utc = datetime.datetime(2024, 1, 1, tzinfo=timezone.utc)
    east = datetime.datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=45), "NPT"))
    own, own_zone = Moment(2024, 1, 1, 1), datetime.datetime(2024, 1, 1, tzinfo=Fixed())
    clock, noon = datetime.time(23, 59, 59, 999999), datetime.time(12)
    clock_zone, folded_clock = datetime.time(1, tzinfo=timezone.utc), datetime.time(2, fold=1)
    spans(death)


def spans(death):
    zero, day, second = timedelta(0), timedelta(1), timedelta(seconds=1)
    negative, micro = timedelta(days=-1, seconds=5), timedelta(microseconds=-1)
    most, least = timedelta.max, timedelta.min
    zones = [timezone.utc, timezone(timedelta(hours=-3)), timezone(timedelta(seconds=1), "S")]
    zero_zone, named_zero = timezone(timedelta(0)), timezone(timedelta(0), "GMT")
    iso = datetime.date(2024, 2, 29).isocalendar()
    table = {datetime.date(2024, 1, 1): [timedelta(1), datetime.time(1)]}
    dying(death)


if __name__ == "__main__":
    dates(way())
