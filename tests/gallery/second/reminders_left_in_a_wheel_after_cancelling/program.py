# SPDX-License-Identifier: Apache-2.0
"""The reception of a doctor's practice: patients are reminded of appointments by a timer wheel in C;
who cancels gets a letter instead."""  # noqa: E501

import contextlib
import ctypes
import datetime
import logging
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
log = logging.getLogger("reception")

wheel = ctypes.CDLL(os.path.join(HERE, "wheel.so"))
wheel.wheel_add.argtypes = [ctypes.c_int, ctypes.c_char_p]
wheel.wheel_cancel.argtypes = [ctypes.c_int]
wheel.wheel_turn.argtypes = [ctypes.c_int]
wheel.letter_new.argtypes = [ctypes.c_char_p]
wheel.letter_new.restype = ctypes.c_void_p

PATIENTS = ("Ahrens", "Boysen", "Carstens", "Detlefsen", "Ehlers", "Feddersen", "Goos", "Hinrichs")


class Reception:
    def __init__(self, opens):
        self.opens = opens
        self.reminders = {}
        self.letters = []

    def book(self, patient, minute):
        """Book an appointment, in minutes after opening."""
        at = self.opens + datetime.timedelta(minutes=minute)
        self.reminders[patient] = wheel.wheel_add(minute, patient.encode())
        log.info("%s at %s", patient, at.strftime("%H:%M"))

    def cancel(self, patient):
        with contextlib.suppress(KeyError):
            reminder = self.reminders.pop(patient)
            if wheel.wheel_cancel(reminder):
                self.write(patient)

    def write(self, patient):
        text = (
            f"Dear {patient}, we are sorry that you cannot come; please call again, your practice"
        )
        self.letters.append(wheel.letter_new(text.encode()))

    def work(self, minutes):
        """Turn the wheel minute by minute."""
        reminded = 0
        for minute in range(minutes):
            reminded += wheel.wheel_turn(minute)
        return reminded


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    reception = Reception(datetime.datetime(2026, 11, 30, 8, 0))
    for turn, patient in enumerate(PATIENTS):
        reception.book(patient, 16 * turn + 5)
    log.info("before the holiday %d were reminded", reception.work(16))
    for patient in ("Carstens", "Ehlers", "Feddersen"):
        reception.cancel(patient)
    log.info("%d letters written", len(reception.letters))
    log.info("reminded: %d", reception.work(120))
    return 0


if __name__ == "__main__":
    sys.exit(main())
