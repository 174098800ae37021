# SPDX-License-Identifier: Apache-2.0
"""Log book of radio amateurs; the test server runs it with PYTHONMALLOC=debug."""

import collections

import callsign

Contact = collections.namedtuple("Contact", "sign band suffix")


def contacts():
    yield Contact("HB9AA", "20m", "")
    yield Contact("DL1XYZ", "40m", "P")
    yield Contact("OE5K", "2m", "MM")


def logbook():
    bands = collections.defaultdict(list)
    for contact in contacts():
        sign = contact.sign
        if contact.suffix:
            sign = callsign.spell(sign, contact.suffix)
        bands[contact.band].append(sign)
    return bands


for band, signs in logbook().items():
    print(band, ", ".join(signs))
