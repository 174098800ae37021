# SPDX-License-Identifier: Apache-2.0
"""Steps of a data pipeline: functions that run in the pool of their flow."""

import functools
import logging
from concurrent.futures import ThreadPoolExecutor

log = logging.getLogger("flow")


class Flow:
    def __init__(self, name, concurrency):
        self.name = name
        self.pool = ThreadPoolExecutor(concurrency, thread_name_prefix=name)

    def step(self, function):
        """Turn a function into a step: called, it is submitted and gives its future."""

        @functools.wraps(function)
        def submit(*args, **kwargs):
            log.debug("%s: %s%r", self.name, function.__name__, args)
            return self.pool.submit(function, *args, **kwargs)

        return submit

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.pool.shutdown()
