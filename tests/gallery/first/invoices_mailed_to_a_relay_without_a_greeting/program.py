# SPDX-License-Identifier: Apache-2.0
"""A water works mails its invoices through a relay on the same machine, by smtplib."""

import email.message
import os
import queue
import smtplib
import subprocess
import sys
import threading


class Mailer(threading.Thread):
    """Sends what is put into its outbox, over one connection per batch."""

    def __init__(self, host, port):
        super().__init__(name="mailer")
        self.host, self.port = host, port
        self.outbox = queue.Queue()
        self.sent = 0

    def run(self):
        while True:
            batch = self.outbox.get()
            if batch is None:
                return
            self.send(batch)

    def send(self, batch):
        with smtplib.SMTP(self.host, self.port) as relay:
            for message in batch:
                relay.send_message(message)
                self.sent += 1


def invoice(number, customer, litres):
    message = email.message.EmailMessage()
    message["Subject"] = f"Invoice {number}"
    message["From"] = "billing@waterworks.example"
    message["To"] = customer
    message.set_content(f"You used {litres} litres: {litres * 0.0021:.2f} EUR.\n")
    return message


def start_relay():
    """Start the relay as systemd would; it tells its port when it listens."""
    relay = subprocess.Popen([sys.executable, "relay.py"], stdout=subprocess.PIPE, text=True)
    return relay, int(relay.stdout.readline())


def main():
    relay, port = start_relay()
    mailer = Mailer("127.0.0.1", port)
    mailer.start()
    meters = [("anna@example.org", 8100), ("bert@example.org", 12950), ("cara@example.org", 430)]
    mailer.outbox.put([invoice(i, *meter) for i, meter in enumerate(meters, 2001)])
    mailer.outbox.put(None)
    print("invoices handed to the mailer; relay is", relay.pid, flush=True)

    def ready():
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    threading.Timer(1.2, ready).start()
    mailer.join()
    print("sent", mailer.sent, flush=True)
    relay.terminate()


if __name__ == "__main__":
    main()
