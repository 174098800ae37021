# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["values.py"]}
"""Die with dates, numbers, paths and addresses among the locals."""

import datetime
import decimal
import fractions
import ipaddress
import pathlib
import sys
import time
import urllib.parse
import uuid

import deathbed
from values import dying


class OwnZone(datetime.tzinfo):
    def utcoffset(self, when):
        return datetime.timedelta(hours=1)


class OwnDate(datetime.date):
    pass


class OwnMoment(datetime.datetime):
    pass


class OwnSpan(datetime.timedelta):
    pass


class OwnDecimal(decimal.Decimal):
    pass


class OwnFraction(fractions.Fraction):
    pass


class OwnPath(type(pathlib.Path())):
    pass


def dates(way):
    day, first, last = datetime.date(2024, 2, 29), datetime.date.min, datetime.date.max
    midnight, moment = datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, 1, 2, 3, 4)
    utc = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
    no_offset = datetime.timezone(datetime.timedelta(0), "GMT")
    odd_offset = datetime.timezone(datetime.timedelta(hours=-3, minutes=-30, seconds=-1))
    spans = [datetime.timedelta(days=-1), datetime.timedelta(seconds=1.5), datetime.timedelta.max]
    times = [datetime.time(), datetime.time(23, 59, 59, 999999), datetime.time(1, fold=1)]
    own_zone, in_own_zone = OwnZone(), datetime.datetime(2024, 1, 1, tzinfo=OwnZone())
    own_date, own_moment, own_span = OwnDate(2024, 5, 6), OwnMoment(2024, 5, 6), OwnSpan(3)
    if sys.version_info >= (3, 9):
        import zoneinfo

        calendar = datetime.date(2024, 2, 29).isocalendar()
        try:
            zone = zoneinfo.ZoneInfo("Europe/Berlin")
            in_zone = datetime.datetime(2024, 7, 1, tzinfo=zone)
        except zoneinfo.ZoneInfoNotFoundError:
            pass
    clock = time.localtime(86400 * 365)
    fields = time.struct_time(range(9))
    numbers(way)
    return locals()


def numbers(way):
    decimals = [
        decimal.Decimal(text) for text in "1 -1.50 0E-7 1E+30 sNaN -Infinity 0.000001".split()
    ]
    exact = decimal.Decimal.from_float(0.1)
    own_decimal, own_fraction = OwnDecimal("2.5"), OwnFraction(1, 7)
    ratio, whole = fractions.Fraction(-22, 7), fractions.Fraction(2**80, 3)
    floats = [
        0.1 + 0.2,
        1e16,
        1e-5,
        123456789.123,
        -1e300,
        2.0**-1074,
        1e22,
        1.7976931348623157e308,
    ]
    complexes = [1j, -0j, complex("nan+infj"), complex(-0.0, -1.5), 3 + 0j]
    ints = [2**n for n in (29, 30, 31, 59, 60, 61, 62, 63, 64, 90, 120, 1000)]
    negatives = [-(2**n) for n in (29, 30, 31, 59, 60, 61, 62, 63, 64, 90, 120, 1000)]
    small = [*range(-8, 3), 255, 256, 257, 1023, 1024, 1025]
    spans = [range(5), range(5, 1), range(0, -10, -3), range(2**65, 2**66, 7)]
    pieces = [slice(None), slice(1, 2, -1), slice("a", "b")]
    flags, version, limits = sys.flags, sys.version_info, sys.float_info
    ids = [uuid.UUID(int=0), uuid.uuid5(uuid.NAMESPACE_DNS, "x")]
    paths(way)
    return locals()


def paths(way):
    here, root, two = pathlib.Path(), pathlib.Path("/"), pathlib.PurePosixPath("//net/x")
    nested = pathlib.Path("/usr") / "lib" / ".." / "x.y.z"
    windows = pathlib.PureWindowsPath("c:/Windows\\x")
    windows_share, windows_relative = (
        pathlib.PureWindowsPath("//s/share/f"),
        pathlib.PureWindowsPath("a/b"),
    )
    own = OwnPath("own") / "path"
    odd = pathlib.Path('it\'s\n"odd"')
    shown = pathlib.Path("shown") / "x"
    str(shown), hash(nested)
    parents = nested.parents
    address4, address6 = ipaddress.ip_address("10.0.0.1"), ipaddress.ip_address("fe80::1")
    network4, network6 = ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fe80::/10")
    interface = ipaddress.ip_interface("10.0.0.1/24")
    split, parsed = urllib.parse.urlsplit("http://h/p?q#f"), urllib.parse.urlparse("x:y")
    dying(way, None)
    return locals()


if __name__ == "__main__":
    dates(deathbed.prepare("raise"))
