# SPDX-License-Identifier: Apache-2.0
import http.server
import os
import threading
import time
import urllib.error
import urllib.request


class Portal(http.server.BaseHTTPRequestHandler):
    allowance = 12

    def do_GET(self):
        cls = type(self)
        cls.allowance -= 1
        if cls.allowance < 0:
            self.send_response(429)
            self.send_header("Retry-After", "240")
            self.end_headers()
        else:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"invoice " + self.path.encode())

    def log_message(self, *args):
        pass


class Retry:
    def __init__(self, total=5, factor=0.5):
        self.total = total
        self.factor = factor
        self.history = []

    def pause(self, headers):
        after = headers.get("Retry-After")
        if after:
            return int(after)
        return self.factor * 2 ** len(self.history)

    def sleep(self, url, error):
        self.history.append((url, error.code, time.time()))
        if len(self.history) > self.total:
            raise error
        if len(self.history) == 1:
            with open("ready", "w") as file:
                file.write(f"{os.getpid()}\n")
        time.sleep(self.pause(error.headers))


def fetch(url, retry):
    while True:
        try:
            with urllib.request.urlopen(url, timeout=20) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise
            retry.sleep(url, error)


def main():
    server = http.server.HTTPServer(("127.0.0.1", 0), Portal)
    threading.Thread(target=server.serve_forever, name="portal", daemon=True).start()
    base = "http://127.0.0.1:%d/invoices/%d"
    for number in range(40):
        print(fetch(base % (server.server_port, number), Retry()), flush=True)


if __name__ == "__main__":
    main()
