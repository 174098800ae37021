# SPDX-License-Identifier: Apache-2.0
"""A planner keeps its jobs; a housekeeping step between two rounds collects garbage."""

import gc
import json
import os


class Job:
    def __init__(self, number, after):
        self.number, self.after = number, after


def plan(count):
    jobs = []
    for number in range(count):
        jobs.append(Job(number, jobs[-1] if jobs else None))
    return jobs


def housekeeping():
    return gc.collect()


def run_round(jobs):
    late = [job for job in jobs if job.after and job.after.number % 7 == 3]
    housekeeping()
    return len(late)


def main():
    jobs = plan(800)
    housekeeping()
    link = id(jobs[412]) - 16
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[link, 35]]}) + "\n")
    input()
    print(run_round(jobs))


main()
