# SPDX-License-Identifier: Apache-2.0
"""Archive job: the days of an old journal, read in the main process and in a helper."""

import multiprocessing
import os
import threading
import time
from datetime import datetime

context = multiprocessing.get_context("fork")
RULE = "|".join(f"column {n} of the paper journal, kept as printed" for n in range(9000))


def read_page(form, page, days):
    days.append(datetime.strptime(page, form).date())


def read_diary(days, results):
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    results.put([datetime.strptime(day, "%d.%m.%Y").date() for day in days])


def main():
    days, results = [], context.SimpleQueue()
    read_page("%Y-%m-%d", "1911-05-02", days)
    form, page = RULE + " %Y-%m-%d", RULE + " 1911-05-03"
    reader = threading.Thread(target=read_page, args=(form, page, days), name="page reader")
    reader.start()
    time.sleep(0.1)
    diary = context.Process(target=read_diary, args=(["04.05.1911"], results), daemon=True)
    diary.start()
    print(results.get())
    reader.join()
    print(days)


main()
