"""Exchange bureau: a front process starts one teller process per customer batch."""

import json
import os
import socket
import sys
import threading

from rates import RateBook, Renewer

under_way = threading.Event()
answered = threading.Event()


class Feed:
    """Asks the central bank line by line; the last currency of the list answers late."""

    def __init__(self):
        self.bank, self.line = socket.socketpair()
        threading.Thread(target=self.serve, name="bank-line", daemon=True).start()

    def serve(self):
        with self.bank.makefile("rw") as stream:
            for request in stream:
                query = json.loads(request)
                if query["currency"] == "PLN":
                    under_way.set()
                    answered.wait()
                stream.write(json.dumps({"rate": query["old"] * 1.001}) + "\n")
                stream.flush()

    def __call__(self, currency, old):
        self.line.sendall((json.dumps({"currency": currency, "old": old}) + "\n").encode())
        return json.loads(self.line.recv(4096))["rate"]


class Teller:
    def __init__(self, book):
        self.book = book

    def serve(self, customers):
        for name, amount, currency in customers:
            print(
                f"[{os.getpid()}] {name}: {self.book.convert(amount, currency)} {currency}",
                flush=True,
            )


def hire(teller, customers):
    pid = os.fork()
    if pid:
        return pid
    announce()
    try:
        teller.serve(customers)
    finally:
        os._exit(0)


def announce():
    """Tell the supervisor who serves now."""
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")


def main():
    book = RateBook(Feed())
    Renewer(book, pause=30).start()
    under_way.wait()
    print("bureau opens with version", book.version, flush=True)
    customers = [("Lindqvist", 120.0, "NOK"), ("Wozniak", 75.5, "PLN"), ("Meyer", 900.0, "CHF")]
    pid = hire(Teller(book), customers)
    answered.set()
    _, status = os.waitpid(pid, 0)
    print("teller left with", status, "version", book.version, flush=True)
    sys.exit(0)


if __name__ == "__main__":
    main()
