# SPDX-License-Identifier: Apache-2.0
"""Alarms of a building: raised by sensors, expired when they are old."""

import alarms


def raise_alarms(hour):
    for sensor in range(60):
        alarms.put(f"floor {sensor % 5} sensor {sensor}", hour * 60 + sensor)
    return alarms.count()


def main():
    for hour in range(4):
        print(hour, raise_alarms(hour), flush=True)
        payloads = [bytes(n) for n in range(600, 700)]
        alarms.expire(hour * 60 + 30)
    print(alarms.count(), len(payloads))


main()
