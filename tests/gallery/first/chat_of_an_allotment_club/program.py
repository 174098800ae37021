# SPDX-License-Identifier: Apache-2.0
"""Chat of an allotment club: browsers ask for news and get an answer when there are any."""

import json
import logging
import logging.handlers
import os
import queue
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Room:
    def __init__(self):
        self._messages = []
        self._news = threading.Condition()

    def say(self, text):
        with self._news:
            self._messages.append(text)
            self._news.notify_all()

    def since(self, number, patience=25):
        with self._news:
            self._news.wait_for(lambda: len(self._messages) > number, timeout=patience)
            return self._messages[number:]


class ChatHandler(BaseHTTPRequestHandler):
    room = Room()

    def do_GET(self):
        seen = int(self.path.rpartition("=")[2])
        body = json.dumps(self.room.since(seen)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.room.say(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, text, *values):
        logging.info(text, *values)


def browser(address):
    seen = 0
    while True:
        with urllib.request.urlopen(f"{address}/news?seen={seen}") as answer:
            seen += len(json.load(answer))


def main():
    records = queue.Queue()
    listener = logging.handlers.QueueListener(records, logging.FileHandler("chat.log"))
    listener.start()
    logging.basicConfig(level=logging.INFO, handlers=[logging.handlers.QueueHandler(records)])
    server = ThreadingHTTPServer(("127.0.0.1", 0), ChatHandler)
    threading.Thread(target=server.serve_forever, name="chat").start()
    address = "http://127.0.0.1:%d" % server.server_address[1]
    for number in range(3):
        threading.Thread(target=browser, args=(address,), name=f"browser-{number}").start()
    time.sleep(0.3)
    for text in (b"who has a wheelbarrow?", b"plot 7 has"):
        urllib.request.urlopen(urllib.request.Request(f"{address}/say", data=text)).close()
    time.sleep(0.5)
    Path("ready").write_text(f"{os.getpid()}\n")


if __name__ == "__main__":
    main()
