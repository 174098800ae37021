# SPDX-License-Identifier: Apache-2.0
"""Start programs for bench.py and measure them; a process of its own, because it is small.

The kernel counts what a process had in memory before exec as its child's peak RSS: measured from
bench.py itself, no program could take less than bench.py. Protocol: one request a line, fields
divided by 0x1f: time-out, output file, working folder, program, arguments. The answer is one line:
wall seconds, user+sys seconds, peak RSS in KiB, wait status, 1 when it was stopped.
"""

import os
import signal
import sys
import time


def measure(limit, output, words):
    """Run one program; return the numbers of the answer."""
    stopped = []
    redirect = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, output + ".err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
    ]
    begun = time.perf_counter()
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=redirect)

    def stop(_number, _frame):
        stopped.append(pid)
        os.kill(pid, signal.SIGKILL)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - begun
    signal.setitimer(signal.ITIMER_REAL, 0)
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, status, len(stopped)


def main():
    """Serve until the input ends."""
    for line in sys.stdin:
        limit, output, folder, *words = line.rstrip("\n").split("\x1f")
        os.chdir(folder)
        print(*measure(float(limit), output, words), flush=True)


main()
