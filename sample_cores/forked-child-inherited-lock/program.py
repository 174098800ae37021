# SPDX-License-Identifier: Apache-2.0
"""A multithreaded service that forks while one of its threads holds a plain threading.Lock."""

from __future__ import annotations

import os
import signal
import threading
import time

PATIENCE = 1.0  # seconds until the watchdog kills the child that does not answer


class MetricsRegistry:
    """Counters behind one lock."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counters = {}

    def increment(self, name):
        """Add one to a counter; what the child hangs in."""
        with self.lock:
            self.counters[name] = self.counters.get(name, 0) + 1

    def publish(self, inside):
        """Send the counters to a slow collector, with the lock held."""
        with self.lock:
            inside.set()
            send_slowly(self.counters)


REGISTRY = MetricsRegistry()


def send_slowly(counters):
    """Stand for a collector that does not answer."""
    time.sleep(3600)


def publish_forever(inside):
    """Run the agent thread: the holder of the lock."""
    while True:
        REGISTRY.publish(inside)


def beat_forever():
    """Run a thread that has nothing to do with the lock."""
    time.sleep(3600)


def handle_request(number):
    """Handle one request in the forked child."""
    REGISTRY.increment("requests")
    return number


def serve_child():
    """Run the forked child."""
    handle_request(1)
    os._exit(0)


def start_threads():
    """Start both threads; return once the agent is inside its `with` block."""
    inside = threading.Event()
    agent = threading.Thread(
        target=publish_forever, args=(inside,), name="metrics-agent", daemon=True
    )
    agent.start()
    threading.Thread(target=beat_forever, name="heartbeat", daemon=True).start()
    inside.wait()
    time.sleep(0.3)  # the agent has left Event.set() and sleeps in send_slowly()
    return agent


def tell(key, value):
    """Tell the maker of this sample what is true here, before the fork."""
    os.write(1, f"fact {key} {value}\n".encode())


def main():
    """Fork, then kill the child that hangs, as a watchdog would."""
    agent = start_threads()
    tell("lock_object", id(REGISTRY.lock))
    tell("lock_held_at_fork", int(REGISTRY.lock.locked()))
    tell("vanished_ident", agent.ident)
    tell("vanished_old_tid", agent.native_id)
    child = os.fork()
    if child == 0:
        serve_child()
    time.sleep(PATIENCE)
    os.kill(child, signal.SIGABRT)
    os.waitpid(child, 0)


main()
