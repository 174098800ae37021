# SPDX-License-Identifier: Apache-2.0
"""The membership list of a club is exported as one JSON document, within a memory limit."""

import resource
from pathlib import Path

import orjson


def limit_memory(megabytes):
    size = Path("/proc/self/statm").read_text().split()[0]
    limit = int(size) * resource.getpagesize() + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


class Members:
    def __init__(self, count):
        remark = "has paid; receives the journal by post; " * 40
        self.rows = [{"number": number, "remark": remark} for number in range(count)]

    def export(self):
        return orjson.dumps(self.rows, option=orjson.OPT_INDENT_2)


def main():
    limit_memory(megabytes=320)
    for count in (1_000, 20_000, 200_000):
        document = Members(count).export()
        print(count, len(document))


if __name__ == "__main__":
    main()
