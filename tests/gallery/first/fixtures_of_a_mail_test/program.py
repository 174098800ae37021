# SPDX-License-Identifier: Apache-2.0
"""Tests of a mail sender: a small server receives the letters, and is stopped after each test."""

import json
import os
import smtplib
import socketserver
import threading
import unittest
from pathlib import Path


class Letter(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"220 test ESMTP\r\n")
        while line := self.rfile.readline():
            if line.upper().startswith(b"QUIT"):
                self.wfile.write(b"221 bye\r\n")
                return
            self.wfile.write(b"250 ok\r\n")


class MailServer(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def run(self):
        self.greetings = json.loads(Path("greetings.json").read_text())
        self.serve_forever(poll_interval=0.1)


class SenderTest(unittest.TestCase):
    def setUp(self):
        self.server = MailServer(("127.0.0.1", 0), Letter)
        self.thread = threading.Thread(target=self.server.run, name="mail-server", daemon=True)
        self.thread.start()

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def test_refuses_empty_sender(self):
        with open("ready", "w") as file:
            file.write(json.dumps({"pid": os.getpid()}) + "\n")
        with self.assertRaises(ValueError):
            raise ValueError("no sender")

    def test_says_hello(self):
        with smtplib.SMTP(*self.server.server_address) as mail:
            self.assertEqual(mail.noop()[0], 250)


unittest.main()
