# SPDX-License-Identifier: Apache-2.0
"""Run the scripts of tenants, each in an interpreter of its own."""

import _interpreters


class Tenant:
    def __init__(self, name, settings):
        self.name = name
        self.settings = settings
        self.interpreter = _interpreters.create()

    def run(self, script):
        failure = _interpreters.run_string(self.interpreter, script, shared=self.settings)
        return failure is None

    def close(self):
        _interpreters.destroy(self.interpreter)


def load(lines):
    """Return the tenants with their settings, as the old configuration wrote them."""
    for line in lines:
        name, _, rest = line.partition(":")
        pairs = [tuple(part.split("=")) for part in rest.split()]
        yield Tenant(name, dict(pairs) if name != "legacy" else pairs)


def main():
    lines = ["north: limit=3", "south: limit=4 zone=b", "legacy: limit=9"]
    for tenant in load(lines):
        print(tenant.name, tenant.run("print(limit)"))
        tenant.close()


main()
