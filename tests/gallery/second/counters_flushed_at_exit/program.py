# SPDX-License-Identifier: Apache-2.0
"""A queue worker that counts what it did; the counters are told when the process ends."""

import counters


def handle(job):
    counters.count(job["kind"], job["size"])
    return job["size"] % 7


def main():
    kinds = ("mail", "invoice", "reminder", "thumbnail")
    jobs = [{"kind": kinds[n % 4], "size": n * 11} for n in range(500)]
    print(sum(handle(job) for job in jobs), flush=True)


main()
