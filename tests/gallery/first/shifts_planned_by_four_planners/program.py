# SPDX-License-Identifier: Apache-2.0
"""Four planners make the plan of a ward, week by week; all end one before the next."""

import os
import threading

PLANNERS, WEEKS = 4, 6


class Ward:
    def __init__(self):
        self.plan = {}
        self.plan_lock = threading.Lock()
        self.week_done = threading.Barrier(PLANNERS)
        self.ends = []

    def put(self, planner, week, shift, nurse):
        with self.plan_lock:
            self.plan[week, shift] = nurse
            if shift % 7 == 6 and week == 3:
                # The last shift of a month is signed by all.
                self.week_done.wait()
                self.ends.append((planner, week))

    def work(self, planner):
        for week in range(WEEKS):
            for shift in range(planner * 7, planner * 7 + 7):
                self.put(planner, week, shift, f"nurse {(planner + shift * week) % 19}")
            if week != 3:
                self.week_done.wait()


def main():
    ward = Ward()
    planners = [
        threading.Thread(target=ward.work, args=(number,), name=f"planner-{number}")
        for number in range(PLANNERS)
    ]
    for planner in planners:
        planner.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for planner in planners:
        planner.join()
    print(len(ward.plan), ward.ends)


main()
