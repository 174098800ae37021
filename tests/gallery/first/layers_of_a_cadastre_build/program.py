# SPDX-License-Identifier: Apache-2.0
import enum
import functools
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path


class Status(enum.Enum):
    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"


REGISTRY = {}


def layer(*, needs=()):
    def register(function):
        REGISTRY[function.__name__] = Task(function.__name__, function, tuple(needs))
        return function

    return register


@dataclass
class Task:
    name: str
    make: object
    needs: tuple
    status: Status = Status.PENDING

    @property
    def output(self):
        return Path("out") / f"{self.name}.txt"

    def complete(self):
        return self.output.exists()


@dataclass
class Scheduler:
    tasks: dict
    lock: threading.Lock = field(default_factory=threading.Lock)
    asked: int = 0

    def get_work(self):
        with self.lock:
            self.asked += 1
            for task in self.tasks.values():
                if task.status is Status.PENDING and self.ready(task):
                    task.status = Status.RUNNING
                    return task
            return None

    def ready(self, task):
        return all(self.tasks[name].complete() for name in task.needs)

    def left(self):
        return [name for name, task in self.tasks.items() if task.status is not Status.DONE]


class Worker:
    wait_interval = 0.25

    def __init__(self, scheduler, keep_alive=True):
        self.scheduler = scheduler
        self.keep_alive = keep_alive

    def _sleeper(self):
        while True:
            time.sleep(self.wait_interval)
            yield

    def run(self):
        sleeper = self._sleeper()
        while self.scheduler.left():
            task = self.scheduler.get_work()
            if task is None:
                if not self.keep_alive:
                    return False
                next(sleeper)
                continue
            task.output.write_text(task.make())
            task.status = Status.DONE
        return True


@layer()
def parcels():
    return "\n".join(f"{number};{number * 31 % 977}" for number in range(500))


@layer(needs=["parcels"])
def streets():
    return "Mill Lane;High Street;Quay"


@layer(needs=["parcels", "tax_zones"])
def buildings():
    return "\n".join(map(str, range(300)))


@layer(needs=["streets", "land_values"])
def tax_zones():
    return "A;B;C"


@layer(needs=["buildings"])
def land_values():
    return "120;150;90"


def main():
    Path("out").mkdir(exist_ok=True)
    scheduler = Scheduler(REGISTRY)
    start = functools.partial(Worker, keep_alive=True)
    open("ready", "w").write(f"{os.getpid()}\n")
    print(start(scheduler).run())


main()
