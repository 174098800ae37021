# SPDX-License-Identifier: Apache-2.0
from gevent import monkey

monkey.patch_all()

import datetime  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import urllib.request  # noqa: E402

import gevent  # noqa: E402
from gevent.event import Event  # noqa: E402
from gevent.pywsgi import WSGIServer  # noqa: E402
from gevent.queue import Queue  # noqa: E402

HOURS = {"mon": "6-20", "tue": "6-20", "wed": "closed", "thu": "6-22", "fri": "6-22"}
audit = Queue()
changed = Event()


def application(environ, start_response):
    day = environ["PATH_INFO"].strip("/")
    audit.put((day, environ.get("REMOTE_ADDR")))
    if day not in HOURS:
        start_response("404 Not Found", [])
        return [b"unknown day\n"]
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({"day": day, "hours": HOURS[day]}).encode()]


def keep_audit():
    with open("audit.log", "a") as file:
        for day, address in audit:
            file.write(f"{datetime.datetime.now():%H:%M:%S} {address} {day}\n")
            file.flush()


def announce_changes():
    while True:
        changed.wait()
        changed.clear()
        print("hours have changed", flush=True)


def first_guests(port):
    for day in ("mon", "wed", "sun"):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{day}") as answer:
                print(answer.read().decode(), flush=True)
        except urllib.error.HTTPError as error:
            print(day, error.code, flush=True)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")


def main():
    server = WSGIServer(("127.0.0.1", 0), application, log=None)
    server.start()
    for job in (keep_audit, announce_changes):
        gevent.spawn(job)
    gevent.spawn(first_guests, server.server_port)
    server.serve_forever()


if __name__ == "__main__":
    main()
