# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "oldest": [3, 9], "packages": ["pytz"]}
"""Zones of zoneinfo and pytz, and moments in them."""

import datetime
import zoneinfo

import pytz
from library_values import dying, way


def zones(death):
    berlin, utc = zoneinfo.ZoneInfo("Europe/Berlin"), zoneinfo.ZoneInfo("UTC")
    moment = datetime.datetime(2024, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo("Asia/Tokyo"))
    uncached = zoneinfo.ZoneInfo.no_cache("Europe/Paris")
    olson, fixed, zulu = pytz.timezone("Europe/Rome"), pytz.FixedOffset(-90), pytz.utc
    summer = pytz.timezone("US/Eastern").localize(datetime.datetime(2024, 7, 1, 12))
    winter = pytz.timezone("US/Eastern").localize(datetime.datetime(2024, 1, 1, 12))
    in_utc = pytz.utc.localize(datetime.datetime(2024, 1, 1))
    pair = [datetime.time(5, tzinfo=zoneinfo.ZoneInfo("UTC")), zoneinfo.ZoneInfo("Europe/Oslo")]
    dying(death)


if __name__ == "__main__":
    zones(way())
