# SPDX-License-Identifier: Apache-2.0
"""A job queue that logs its jobs. A recipient whose address has moved corrects the job it is in."""

import functools


def send_mail(*recipients, subject=""):
    return len(recipients), subject


class Recipient:
    def __init__(self, address, moved_to=None):
        self.address, self.moved_to = address, moved_to
        self.job = None

    def __repr__(self):
        if self.moved_to and self.job is not None:
            address, self.moved_to = self.moved_to, None
            readdress(self.job, address)
        return f"<{self.address}>"


def readdress(job, address):
    """Send a job to one address only."""
    job.__setstate__((job.func, (Recipient(address),), dict(job.keywords), None))


def queue_job(recipients, subject):
    job = functools.partial(send_mail, *recipients, subject=subject)
    for recipient in recipients:
        recipient.job = job
    return job


def log(job):
    print(repr(job))


def subscribers():
    yield Recipient("editor@example.org", moved_to="desk@example.org")
    for number in range(40_000):
        yield Recipient(f"reader{number}@example.org")


job = queue_job(list(subscribers()), "July")
log(job)
