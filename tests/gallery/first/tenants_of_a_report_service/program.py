# SPDX-License-Identifier: Apache-2.0
"""A report service makes a class for each tenant's kind of report and counts its usage."""

import ctypes
import os

usage = ctypes.CDLL(os.path.abspath("usage.so"))
usage.usage_register.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t]
usage.usage_read.restype = ctypes.c_long


class Metrics:
    """A block of counters, one cache line apart."""

    LINE = 64

    def __init__(self, names):
        self.block = ctypes.create_string_buffer(4096)
        self.counters = {
            name: usage.usage_register(name.encode(), self.block, self.LINE * number)
            for number, name in enumerate(names)
        }


class Tenant:
    def __init__(self, name, columns):
        self.name = name
        self.columns = columns
        self.report_type = None
        self.written = []

    def define(self):
        fields = {column: index for index, column in enumerate(self.columns)}
        members = {"__slots__": ("row",), "fields": fields, "__init__": Report.__init__}
        self.report_type = type(f"{self.name.title()}Report", (Report,), members)

    def write(self, row):
        report = self.report_type(row)
        self.written.append(report)
        return report.total()


class Report:
    __slots__ = ()
    fields = {}

    def __init__(self, row):
        self.row = row

    def total(self):
        return sum(self.row)


class Service:
    def __init__(self):
        self.metrics = Metrics(["requests", "rows", "errors", "retries", "bytes", "slow"])
        self.tenants = {}
        self.counters = self.metrics.counters

    def add(self, tenant):
        self.tenants[tenant.name] = tenant

    def reconfigure(self):
        """Count per tenant from now on; the common counters keep their numbers."""
        self.metrics = None
        for tenant in self.tenants.values():
            tenant.define()

    def serve(self, name, row):
        for counter in self.counters.values():
            usage.usage_count(counter)
        return self.tenants[name].write(row)


def main():
    service = Service()
    for name in ("acme", "borealis", "cygnus", "delta", "ember"):
        service.add(Tenant(name, ["day", "visits", "orders", "returns"]))
    service.reconfigure()
    total = 0
    for number in range(40000):
        name = list(service.tenants)[number % 5]
        total += service.serve(name, [number, number % 7, number % 3, 1])
        if number % 5000 == 4999:
            for tenant in service.tenants.values():
                tenant.written.clear()
    print(total)


main()
