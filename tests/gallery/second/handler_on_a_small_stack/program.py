# SPDX-License-Identifier: Apache-2.0
"""The handler of a signal needs more than the small stack on which it runs."""

import ctypes
import os
import signal

library = ctypes.CDLL(os.path.abspath("reporter.so"))


def request_report():
    os.kill(os.getpid(), signal.SIGUSR1)


def main():
    if library.start_reporter():
        raise SystemExit("no reporter")
    request_report()


main()
