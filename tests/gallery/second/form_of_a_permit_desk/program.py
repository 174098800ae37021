# SPDX-License-Identifier: Apache-2.0
"""Permit desk: a small WSGI service that takes application forms by POST and stores them."""

import os
import subprocess
import sys
import urllib.parse
from wsgiref.simple_server import WSGIRequestHandler, make_server

APPLICANT = """
import http.client, sys
desk = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
desk.request("POST", "/permits", "street=Quay+7&kind=scaffold")
print(desk.getresponse().read())
"""
PERMITS = {}


class QuietHandler(WSGIRequestHandler):
    def log_message(self, format, *args):
        pass


def read_form(environ):
    body = environ["wsgi.input"].read()
    return dict(urllib.parse.parse_qsl(body.decode("utf-8")))


def store_permit(form):
    number = "P-%04d" % (len(PERMITS) + 1)
    PERMITS[number] = form
    return number


def permit_app(environ, start_response):
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    if environ["REQUEST_METHOD"] != "POST":
        start_response("405 Method Not Allowed", [])
        return [b""]
    number = store_permit(read_form(environ))
    start_response("201 Created", [("Content-Type", "text/plain")])
    return [number.encode("ascii")]


def main():
    server = make_server("127.0.0.1", 0, permit_app, handler_class=QuietHandler)
    port = str(server.server_address[1])
    applicant = subprocess.Popen([sys.executable, "-c", APPLICANT, port])
    server.handle_request()
    applicant.wait()


main()
