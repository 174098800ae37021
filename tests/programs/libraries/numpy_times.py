# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["numpy"]}
"""datetime64 and timedelta64 of numpy, scalars and arrays."""

import numpy
from library_values import dying, way


def scalars(death):
    moments = [
        numpy.datetime64("2024-02-29T12:30:45.123456789", unit)
        for unit in "Y M W D h m s ms us ns".split()
    ]
    old, nothing = numpy.datetime64("0001-01-01"), numpy.datetime64("NaT")
    spans = [numpy.timedelta64(7, unit) for unit in "Y M W D h m s ms us ns".split()]
    generic, no_span = numpy.timedelta64(3), numpy.timedelta64("NaT")
    difference = numpy.datetime64("2024-03-01") - numpy.datetime64("2024-02-01")
    tens = numpy.datetime64("2024-02-20", "10D")
    arrays(death)


def arrays(death):
    days = numpy.array(["2024-01-01", "NaT", "2024-12-31"], dtype="M8[D]")
    nanos = numpy.array(["2024-01-01T00:00:00.000000001"], dtype="M8[ns]")
    seconds = numpy.arange("2024-01-01", "2024-01-02", 21600, dtype="M8[s]")
    spans = numpy.array([1, -20, 300], dtype="m8[ms]")
    holes = numpy.array([1, "NaT"], dtype="m8[D]")
    months = numpy.arange("2024-01", "2024-07", dtype="M8[M]").reshape(2, 3)
    dying(death)


if __name__ == "__main__":
    scalars(way())
