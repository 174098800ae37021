# SPDX-License-Identifier: Apache-2.0
"""A client of a map service: keeps its connection and its token."""

import http.client
import json
import random
import threading
import time


class ServiceBusy(Exception):
    pass


class Backoff:
    """A bounded number of attempts with growing pauses."""

    def __init__(self, attempts=6, first=0.05, factor=30.0, longest=90.0):
        self.attempts = attempts
        self.first = first
        self.factor = factor
        self.longest = longest

    def call(self, function):
        pause = self.first
        for attempt in range(1, self.attempts + 1):
            try:
                return function()
            except ServiceBusy:
                if attempt == self.attempts:
                    raise
            time.sleep(pause * random.uniform(0.9, 1.0))
            pause = min(self.longest, pause * self.factor)


class TokenStore:
    def __init__(self, connection, backoff):
        self.connection = connection
        self.backoff = backoff
        self.lock = threading.Lock()
        self.token = None

    def current(self):
        with self.lock:
            if self.token is None:
                self.token = self.backoff.call(self._renew)
            return self.token

    def _renew(self):
        self.connection.request("POST", "/token")
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status == 503:
            raise ServiceBusy(body.decode())
        return json.loads(body)["token"]


class MapClient:
    def __init__(self, port):
        self.tokens = TokenStore(http.client.HTTPConnection("127.0.0.1", port), Backoff())

    def tile(self, number):
        return f"{self.tokens.current()}/{number}"
