# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pandas"]}
"""Periods of pandas, of every frequency."""

import pandas
from library_values import dying, way


def periods(death):
    day, month = pandas.Period("2024-02-29", "D"), pandas.Period("2024-02", "M")
    week, week_from = pandas.Period("2024-02-29", "W"), pandas.Period("2024-02-29", "W-WED")
    business = pandas.Period("2024-02-29", "B")
    minute = pandas.Period("2024-02-29 12:30", "min")
    two_days, three_months = pandas.Period("2024-02-29", "2D"), pandas.Period("2024-02", "3M")
    old = pandas.Period("1650-01", "M")
    intervals(death)


def intervals(death):
    year, quarter = pandas.Period(year=2024, freq=YEAR), pandas.Period("2024Q3", freq=QUARTER)
    year_june = pandas.Period("2024", freq=YEAR + "-JUN")
    quarter_march = pandas.Period("2024Q3", freq=QUARTER + "-MAR")
    hour = pandas.Period("2024-02-29 12:30", freq=HOUR)
    second = pandas.Period("2024-02-29 12:30:15", freq=SECOND)
    milli = pandas.Period("2024-02-29 12:30:15.250", freq=MILLI)
    micro, nano = (
        pandas.Period("2024-02-29 12:30:15.000250", freq=MICRO),
        pandas.Period("2024-02-29 12:30:15.000000250", freq=NANO),
    )
    dying(death)


if __name__ == "__main__":
    old = int(pandas.__version__.split(".")[0]) < 2 or pandas.__version__.startswith(("2.0", "2.1"))
    YEAR, QUARTER = ("A", "Q")
    HOUR, SECOND, MILLI, MICRO, NANO = "H", "S", "L", "U", "N"
    if not old:
        YEAR, QUARTER = ("Y", "Q")
        HOUR, SECOND, MILLI, MICRO, NANO = "h", "s", "ms", "us", "ns"
    periods(way())
