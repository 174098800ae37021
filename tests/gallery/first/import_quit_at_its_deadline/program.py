# SPDX-License-Identifier: Apache-2.0
"""The nightly import of a supplier's prices is given two seconds by its runner."""

import os
import signal
import socket
import subprocess
import sys


def read_prices(link):
    prices = {}
    for line in link.makefile():
        article, price = line.split()
        prices[article] = float(price)
    return prices


def run_import():
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    supplier, link = socket.socketpair()
    supplier.sendall(b"bolt 0.12\nnut 0.04\n")
    print(len(read_prices(link)), "prices")


def run_with_deadline(seconds):
    job = subprocess.Popen([sys.executable, os.path.abspath(__file__), "import"])
    try:
        return job.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        job.send_signal(signal.SIGQUIT)
        return job.wait()


def main():
    if sys.argv[1:]:
        run_import()
    else:
        print("import ended with", run_with_deadline(2.0), flush=True)


main()
