"""The shows that can be played tonight. Importing this warms up their star tables."""

import concurrent.futures
import logging

log = logging.getLogger("shows")

NAMES = ["northern", "zodiac", "comets"]
_pool = concurrent.futures.ThreadPoolExecutor(2, thread_name_prefix="warm-up")


class Show:
    def __init__(self, name, stars):
        self.name = name
        self.stars = stars

    def brightest(self):
        return min(self.stars, key=lambda star: star[1])


def build(name):
    """Runs in the pool: the tables of a show are computed by its projector."""
    from projector import project

    return Show(name, project(name))


def warm_up():
    futures = {name: _pool.submit(build, name) for name in NAMES}
    shows = {}
    for name, future in futures.items():
        shows[name] = future.result()
        log.info("%s is ready", name)
    return shows


SHOWS = warm_up()
