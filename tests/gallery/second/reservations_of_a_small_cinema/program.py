# SPDX-License-Identifier: Apache-2.0
"""Reservations of a small cinema, a Flask application on werkzeug's threaded server."""

import os
import sched
import threading
import time
import urllib.request
from pathlib import Path

from flask import Flask, abort, g, jsonify, request
from werkzeug.serving import make_server

app = Flask(__name__)
seats = {"20:15": set(range(1, 41)), "22:30": set(range(1, 41))}
seats_lock = threading.RLock()


@app.before_request
def note_start():
    g.started = time.monotonic()


@app.get("/shows")
def shows():
    with seats_lock:
        return jsonify({show: len(free) for show, free in seats.items()})


@app.post("/shows/<show>/seats/<int:seat>")
def reserve(show, seat):
    with seats_lock:
        if seat not in seats.get(show, ()):
            abort(409)
        seats[show].discard(seat)
    return jsonify(show=show, seat=seat, name=request.args.get("name", "")), 201


def clean_up(scheduler):
    with seats_lock:
        for show in [show for show, free in seats.items() if not free]:
            del seats[show]
    scheduler.enter(900, 1, clean_up, (scheduler,))


def keep_clean():
    scheduler = sched.scheduler(time.monotonic, time.sleep)
    scheduler.enter(0, 1, clean_up, (scheduler,))
    scheduler.run()


def customers(port):
    base = f"http://127.0.0.1:{port}/shows"
    for seat in (7, 8, 21):
        order = urllib.request.Request(f"{base}/20:15/seats/{seat}?name=Ida", method="POST")
        urllib.request.urlopen(order).close()
    print(urllib.request.urlopen(base).read().decode(), flush=True)
    time.sleep(0.3)
    Path("ready").write_text(f"{os.getpid()}\n")


def main():
    server = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=keep_clean, name="cleaner", daemon=True).start()
    threading.Thread(target=customers, args=(server.server_port,), daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
