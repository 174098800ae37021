# SPDX-License-Identifier: Apache-2.0
"""A scheduler drops finished jobs, takes new ones, and tidies up."""

import gc

import jobs


def plan(names):
    return [jobs.Job(name, None) for name in names]


def drop_finished(queue):
    return [job for number, job in enumerate(queue) if number % 3]


def take_requests(count):
    return [(number, number + 1, number + 2) for number in range(count)]


def tidy(queue, requests):
    gc.collect()
    return sum(len(job.name()) for job in queue) + len(requests)


def main():
    queue = plan([f"night build {n}" for n in range(900)])
    queue = drop_finished(queue)
    requests = take_requests(200)
    print(tidy(queue, requests))


main()
