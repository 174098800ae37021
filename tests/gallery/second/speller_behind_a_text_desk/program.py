# SPDX-License-Identifier: Apache-2.0
"""A text desk keeps a spelling helper as a child process and talks with it over its pipes."""

import json
import os
import queue
import socket
import subprocess
import sys
import threading

HELPER = """
import json, sys
known = {"tide", "harbour", "ferry", "quay"}
for line in sys.stdin:
    asked = json.loads(line)
    wrong = [word for word in asked["words"] if word not in known]
    print(json.dumps({"id": asked["id"], "wrong": wrong}), flush=True)
"""


class Speller:
    def __init__(self):
        self.child = subprocess.Popen(
            [sys.executable, "-c", HELPER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.waiting = {}
        self.guard = threading.Lock()
        self.count = 0
        threading.Thread(target=self.read_answers, name="answers", daemon=True).start()

    def read_answers(self):
        for line in self.child.stdout:
            answer = json.loads(line)
            with self.guard:
                self.waiting.pop(answer["id"]).put(answer["wrong"])

    def check(self, words):
        with self.guard:
            self.count += 1
            answers = self.waiting[self.count] = queue.Queue(1)
            self.child.stdin.write(json.dumps({"id": self.count, "words": words}) + "\n")
        return answers.get(timeout=10)


def accept_texts(listener, texts):
    while True:
        peer, _ = listener.accept()
        with peer:
            texts.put(peer.recv(1 << 16).decode().split())


def main():
    speller = Speller()
    texts = queue.Queue()
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=accept_texts, args=(listener, texts), daemon=True).start()
    for text in (b"tide harbor ferry", b"quay qauy"):
        with socket.create_connection(listener.getsockname()) as sender:
            sender.sendall(text)
        print(speller.check(texts.get()), flush=True)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    while True:
        print(speller.check(texts.get()), flush=True)


main()
