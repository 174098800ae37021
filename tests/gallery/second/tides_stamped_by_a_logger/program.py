# SPDX-License-Identifier: Apache-2.0
import datetime
import struct

import tidelog


def dump(day):
    return b"".join(
        struct.pack(">HH", minute, 210 + (minute * day) % 190) for minute in range(0, 1440, 10)
    )


def highest(first, days):
    for number in range(days):
        date = first + datetime.timedelta(days=number)
        records = tidelog.unpack(dump(number + 1), date.year, date.month, date.day)
        yield max(records, key=lambda record: record[1])


for stamp, height in highest(datetime.date(2024, 3, 1), 14):
    print(stamp.isoformat(), height)
