# SPDX-License-Identifier: Apache-2.0
"""Who is on duty, and how they are paged."""

import logging
import threading


class Roster:
    def __init__(self, first):
        self.lock = threading.Lock()
        self.exchanged = threading.Event()
        self.asked = threading.Event()
        self.on_duty = first

    def current(self):
        self.asked.set()
        with self.lock:
            return self.on_duty


class PagerHandler(logging.Handler):
    """Sends each alarm to the warden on duty."""

    def __init__(self, roster):
        super().__init__()
        self.roster = roster
        self.sent = []

    def emit(self, record):
        if record.levelno >= logging.ERROR:
            self.sent.append((self.roster.current(), record.getMessage()))
