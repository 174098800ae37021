# SPDX-License-Identifier: Apache-2.0
"""Renew contracts on their day; a page tells how many were renewed."""

import http.server
import os
import sched
import threading
import time


class Renewals:
    def __init__(self):
        self.scheduler = sched.scheduler(time.time, time.sleep)
        self.renewed = []

    def plan(self, contract, moment):
        self.scheduler.enterabs(moment, 1, self.renew, (contract,))

    def renew(self, contract):
        self.renewed.append(contract)
        self.plan(contract, time.time() + 86_400)

    def run(self):
        self.scheduler.run()


def status_page(renewals):
    class StatusPage(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = b"%d renewed\n" % len(renewals.renewed)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return http.server.HTTPServer(("127.0.0.1", 0), StatusPage)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    renewals = Renewals()
    page = status_page(renewals)
    threading.Thread(target=page.serve_forever, name="status", daemon=True).start()
    now = time.time()
    for number, name in enumerate(["gas", "power", "water", "lift", "cleaning"]):
        renewals.plan(name, now + number * 0.05)
    threading.Timer(0.8, tell).start()
    renewals.run()


main()
