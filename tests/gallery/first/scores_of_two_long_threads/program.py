# SPDX-License-Identifier: Apache-2.0
"""An executor of threads computes two scores, each of which takes long."""

import concurrent.futures
import os
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def score(number):
    time.sleep(3600)
    return number


with concurrent.futures.ThreadPoolExecutor(2) as executor:
    scores = executor.map(score, range(2))
    time.sleep(0.3)
    ready()
    print(list(scores))
