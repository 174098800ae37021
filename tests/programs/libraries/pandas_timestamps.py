# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pandas"]}
"""Timestamps of pandas: naive, of every unit, in every kind of zone."""

import datetime

import pandas
from dateutil import tz as dateutil_tz
from library_values import dying, way

try:
    import zoneinfo
except ImportError:  # 3.8
    zoneinfo = None
try:
    import pytz
except ImportError:  # pandas 3 does not need it
    pytz = None


def naive(death):
    moment = pandas.Timestamp("2024-02-29 12:30:45.123456789")
    midnight, micro = pandas.Timestamp("2001-01-01"), pandas.Timestamp("1999-12-31 23:59:59.5")
    old, late = pandas.Timestamp("1700-03-04 05:06"), pandas.Timestamp.max
    seconds, one_nano = pandas.Timestamp("2024-01-01").as_unit("s"), pandas.Timestamp(1)
    day = pandas.Timestamp(datetime.date(2020, 5, 17))
    aware(death)


def aware(death):
    utc, named = (
        pandas.Timestamp("2024-07-01", tz="UTC"),
        pandas.Timestamp("2024-07-01 08:00", tz="Europe/Berlin"),
    )
    winter = pandas.Timestamp("2024-01-01 08:00", tz="America/New_York")
    fixed = pandas.Timestamp(
        "2024-01-01 08:00:00.000000001",
        tz=datetime.timezone(datetime.timedelta(hours=5, minutes=30)),
    )
    odd = pandas.Timestamp(
        "2024-01-01", tz=datetime.timezone(datetime.timedelta(seconds=-3600), "ODD")
    )
    zone = (
        pandas.Timestamp("2023-11-05 01:30", tz=zoneinfo.ZoneInfo("Asia/Kolkata"))
        if zoneinfo
        else None
    )
    olson = (
        pandas.Timestamp("2023-06-05 01:30", tz=pytz.timezone("Australia/Sydney")) if pytz else None
    )
    offset = pandas.Timestamp("2023-06-05 01:30", tz=pytz.FixedOffset(90)) if pytz else None
    dateutil = pandas.Timestamp("2023-06-05 01:30", tz=dateutil_tz.tzutc())
    parsed = pandas.Timestamp("2024-01-01T00:00:00+02:00")
    standard = pandas.Timestamp(datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc))
    dying(death)


if __name__ == "__main__":
    naive(way())
