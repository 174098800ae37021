# SPDX-License-Identifier: Apache-2.0
"""Jobs of a print server: those that wait for a job can withdraw by the name of their desk."""

import asyncio


class Desk:
    """Waits for a job; desks of one name are one to those who withdraw."""

    def __init__(self, name, place):
        self.name = name
        self.place = place

    def __call__(self, future):
        print(self.name, self.place, "is told", future.result())

    def __eq__(self, other):
        return other.name == self.name if isinstance(other, Desk) else NotImplemented

    __hash__ = object.__hash__


class AnyOf:
    """Stands for the desks of a floor; each that it meets withdraws with its namesakes."""

    def __init__(self, job, names):
        self.job = job
        self.names = names
        self.withdrawn = 0

    def __eq__(self, other):
        if isinstance(other, Desk) and other.name in self.names:
            self.withdrawn += self.job.remove_done_callback(other)
        return False

    __hash__ = object.__hash__


async def withdraw(job, *names):
    floor = AnyOf(job, names)
    job.remove_done_callback(floor)
    return floor.withdrawn


async def main():
    job = asyncio.get_running_loop().create_future()
    job.add_done_callback(Desk("spool", 0))
    for number in range(60):
        job.add_done_callback(Desk("counter", number))
    print("archive:", await withdraw(job, "archive", "cellar"))
    print("counter:", await withdraw(job, "counter", "entrance"))
    job.set_result("done")


asyncio.run(main())
