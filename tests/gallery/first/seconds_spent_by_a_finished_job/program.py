# SPDX-License-Identifier: Apache-2.0
"""Seconds of processor time that each job took."""

import threading
import time


def job(rounds):
    return sum(n * n for n in range(rounds))


def spent(threads):
    return [time.clock_gettime(time.pthread_getcpuclockid(thread.ident)) for thread in threads]


def main():
    threading.stack_size(256 << 20)
    threads = [
        threading.Thread(target=job, args=(rounds,)) for rounds in (1000000, 2000000, 3000000)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(0.3)
    print(spent(threads))


main()
