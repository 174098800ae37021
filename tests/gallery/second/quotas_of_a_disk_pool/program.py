# SPDX-License-Identifier: Apache-2.0
"""The quotas of a disk pool, department by department, at the end of the month."""

import dataclasses

import diskpool


@dataclasses.dataclass
class Department:
    name: str
    used: int
    remarks: list = dataclasses.field(default_factory=list)


def charge(department):
    try:
        share = diskpool.share(department.name, department.used)
    except LookupError as error:
        department.remarks.append(str(error))
        return 0.0
    return 0.12 * department.used * share


def month(departments):
    return {department.name: charge(department) for department in departments}


if __name__ == "__main__":
    pool = [
        Department("payroll", 420),
        Department("research", 9100),
        Department("central-publications-archive", 77),
        Department("canteen", 3),
    ]
    print(month(pool))
