# SPDX-License-Identifier: Apache-2.0
"""Moves the shutters of a green house: a POSIX timer of the kernel sends a real-time signal."""

import ctypes
import logging
import os
import signal
import threading
import time

log = logging.getLogger("shutters")
TICK = signal.SIGRTMIN + 3
RELOAD = signal.SIGHUP


class Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


class Itimerspec(ctypes.Structure):
    _fields_ = [("interval", Timespec), ("value", Timespec)]


class Sigevent(ctypes.Structure):
    """Of sigevent(7), as far as SIGEV_SIGNAL needs it."""

    _fields_ = [
        ("value", ctypes.c_void_p), ("number", ctypes.c_int), ("notify", ctypes.c_int),
        ("rest", ctypes.c_byte * 48),
    ]  # fmt: skip


class KernelTimer:
    """A timer of timer_create(2) that sends a signal to this process."""

    def __init__(self, number):
        self.library = ctypes.CDLL(None, use_errno=True)
        event = Sigevent(value=None, number=number, notify=0)
        self.handle = ctypes.c_void_p()
        self.check(self.library.timer_create(
            time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(self.handle)
        ))  # fmt: skip

    def check(self, status):
        if status:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    def every(self, seconds):
        whole, part = int(seconds), int(seconds % 1 * 1e9)
        when = Itimerspec(Timespec(whole, part), Timespec(whole, part))
        self.check(self.library.timer_settime(self.handle, 0, ctypes.byref(when), None))


class Shutters:
    def __init__(self, count):
        self.open_by = [0.0] * count
        self.moves = 0

    def follow(self, light):
        for number, _ in enumerate(self.open_by):
            self.open_by[number] = max(0.0, min(1.0, 1.2 - light))
        self.moves += 1


class LightSensor(threading.Thread):
    """Reads the light each five minutes; it changes slowly."""

    def __init__(self):
        super().__init__(name="light", daemon=True)
        self.light = 0.4

    def run(self):
        while True:
            time.sleep(300)
            self.light = 0.9 * self.light + 0.05


class Service:
    def __init__(self):
        self.sensor = LightSensor()
        self.shutters = Shutters(24)
        self.reloads = 0

    def run(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, [TICK, RELOAD, signal.SIGTERM])
        self.sensor.start()
        timer = KernelTimer(TICK)
        timer.every(45.0)
        with open("ready", "w") as told:
            told.write(f"{os.getpid()}\n")
        while True:
            info = signal.sigwaitinfo([TICK, RELOAD, signal.SIGTERM])
            if info.si_signo == TICK:
                self.shutters.follow(self.sensor.light)
            elif info.si_signo == RELOAD:
                self.reloads += 1
            else:
                log.info("ends after %d moves", self.shutters.moves)
                return


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    Service().run()
