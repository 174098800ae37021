# SPDX-License-Identifier: Apache-2.0
"""A language server: an editor sends requests on standard input, a thread checks documents."""

import json
import os
import queue
import sys
import threading


class Server:
    def __init__(self, source, target):
        self.source, self.target = source, target
        self.documents, self.checks = {}, queue.SimpleQueue()
        self.writing = threading.Lock()
        threading.Thread(target=self.check_documents, name="checks", daemon=True).start()

    def read_message(self):
        length = 0
        while True:
            line = self.source.readline()
            if not line:
                return None
            if line in (b"\r\n", b"\n"):
                return json.loads(self.source.read(length) or "{}")
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)

    def write_message(self, message):
        body = json.dumps(message).encode()
        with self.writing:
            self.target.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self.target.flush()

    def check_documents(self):
        while True:
            uri = self.checks.get()
            lines = self.documents[uri].splitlines()
            long = [number for number, line in enumerate(lines) if len(line) > 99]
            self.write_message({"method": "textDocument/publishDiagnostics", "params": long})

    def serve(self):
        while (message := self.read_message()) is not None:
            if message.get("method") == "textDocument/didChange":
                self.documents[message["uri"]] = message["text"]
                self.checks.put(message["uri"])


def main():
    server = Server(sys.stdin.buffer, sys.stdout.buffer)
    server.documents["a.txt"] = "x" * 120
    server.checks.put("a.txt")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    server.serve()


main()
