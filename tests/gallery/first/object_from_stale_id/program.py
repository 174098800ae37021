# SPDX-License-Identifier: Apache-2.0
"""The id() of an object was kept as a number and turned back into an object after it had been
freed and its memory reused.
"""

import ctypes


class Job:
    __slots__ = ("number", "state")

    def __init__(self, number):
        self.number = number
        self.state = [number]


def revive(address):
    return ctypes.cast(address, ctypes.py_object).value


def describe(job):
    return "%s %s" % (job.number, job.state)


def main():
    jobs = [Job(n) for n in range(40)]
    addresses = [id(job) for job in jobs]
    del jobs
    noise = [bytes([0x31 + n % 7]) * 15 for n in range(4000)]
    noise += [b"%024d" % n for n in range(4000)]
    print([describe(revive(address)) for address in addresses], len(noise))


main()
