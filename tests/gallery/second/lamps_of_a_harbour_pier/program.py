# SPDX-License-Identifier: Apache-2.0
import os
import sched
import time

plan = sched.scheduler(time.time, time.sleep)
lamps = dict.fromkeys(("green", "red", "white"), False)


def switch(lamp, on, again):
    lamps[lamp] = on
    print(lamp, "on" if on else "off", flush=True)
    plan.enter(again, 1, switch, (lamp, not on, again))


for number, lamp in enumerate(lamps):
    plan.enter(0.05 * number, 1, switch, (lamp, True, 3600 + number))
with open("ready", "w") as file:
    file.write(f"{os.getpid()}\n")
plan.run()
