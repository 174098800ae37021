# SPDX-License-Identifier: Apache-2.0
"""Chat bot by long polling: each request stays open at the server until there is news."""

import http.client
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ChatServer(BaseHTTPRequestHandler):
    """Stands for the chat service: one message at once, then none for the time asked for."""

    news = [{"update_id": 1, "text": "/start"}]

    def do_GET(self):
        updates = [self.news.pop()] if self.news else time.sleep(50) or []
        body = json.dumps({"ok": True, "result": updates}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Bot:
    def __init__(self, port):
        self.port = port
        self.offset = 0

    def get_updates(self, seconds=50):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds + 10)
        connection.request("GET", f"/getUpdates?offset={self.offset}&timeout={seconds}")
        return json.load(connection.getresponse())["result"]

    def handle(self, update):
        self.offset = update["update_id"] + 1
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    def run(self):
        while True:
            for update in self.get_updates():
                self.handle(update)


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), ChatServer)
    threading.Thread(target=server.serve_forever, name="chat-server", daemon=True).start()
    Bot(server.server_port).run()


main()
