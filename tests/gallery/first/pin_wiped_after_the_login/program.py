# SPDX-License-Identifier: Apache-2.0
"""Login of a terminal: the PIN is checked, then wiped from memory as the auditors ask."""

import ctypes
import hashlib
import json
import sys

KNOWN = {"mara": hashlib.sha256(b"salt-4417-2206").hexdigest()}


def wipe(secret):
    ctypes.memset(id(secret), 0, sys.getsizeof(secret))


def login(form):
    pin = form["pin"]
    right = hashlib.sha256(b"salt-" + pin.encode()).hexdigest() == KNOWN.get(form["user"])
    wipe(pin)
    return right


def session_of(form):
    return json.dumps({"user": form["user"], "fields": form, "started": 1709290000})


def main():
    form = json.loads('{"user": "mara", "pin": "4417-2206", "terminal": 12}')
    if login(form):
        print(session_of(form))


main()
