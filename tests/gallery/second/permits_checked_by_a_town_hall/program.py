# SPDX-License-Identifier: Apache-2.0
import multiprocessing
import os
import threading
import time

from errors import PermitError


def check(permit):
    number, area, height = permit
    if area * height > 9000:
        raise PermitError(number, "needs a hearing")
    return number, area * height


def permits():
    for number in range(60):
        yield number, 80 + number * 2, 30 + number


def main():
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        answers = [pool.apply_async(check, (permit,)) for permit in permits()]
        accepted, hearings = [], []
        time.sleep(0.5)
        with open("ready", "w") as told:
            told.write(f"{os.getpid()}\n")
        for answer in answers:
            try:
                accepted.append(answer.get())
            except PermitError as error:
                hearings.append(error.number)
    print(len(accepted), len(hearings), threading.active_count())


if __name__ == "__main__":
    main()
