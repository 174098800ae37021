# SPDX-License-Identifier: Apache-2.0
"""The screen in the hall fetches the day's menu from the canteen's small web server."""

import http.client
import http.server
import json
import os
import threading

DISHES = [("Pea soup", 390), ("Cr\u00eape with leek", 610), ("Jus d'agneau", 840)]


class MenuHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        text = "\n".join("%s: %d   " % dish for dish in DISHES) + "\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.rstrip().encode())

    def log_message(self, *args):
        pass


class HallScreen:
    def __init__(self, address):
        self.connection = http.client.HTTPConnection(*address)
        self.lines = []

    def fetch_menu(self, day):
        self.connection.request("GET", "/menu?day=" + day)
        response = self.connection.getresponse()
        self.lines = response.read().decode().splitlines()


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), MenuHandler)
    threading.Thread(target=server.serve_forever, name="canteen", daemon=True).start()
    screen = HallScreen(server.server_address)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    screen.fetch_menu("tuesday")
    print(screen.lines)


main()
