# SPDX-License-Identifier: Apache-2.0
"""Runs a ski lift on settings that no part of the program is to change."""

from types import MappingProxyType


class Settings:
    def __init__(self, values):
        self.view = MappingProxyType(dict(values))
        self.reloads = 0

    def reload(self):
        """Gives the parts a view of their own, so that they see that something was reloaded."""
        self.view = MappingProxyType(self.view)
        self.reloads += 1

    def restore(self, values):
        """Goes back to the settings of the season's first day."""
        self.view = MappingProxyType(dict(values))

    def __getitem__(self, key):
        return self.view[key]


class Lift:
    def __init__(self, settings):
        self.settings = settings
        self.carried = 0

    def minute(self):
        speed = self.settings["metres per second"]
        self.carried += int(speed * 60 / self.settings["metres between chairs"]) * 4


def main():
    first_day = {"metres per second": 2.6, "metres between chairs": 14}
    settings = Settings(first_day)
    lift = Lift(settings)
    for day in range(60):
        for _ in range(9000):
            settings.reload()
        lift.minute()
        print("day", day, settings.reloads, "reloads", lift.carried, "guests", flush=True)
    settings.restore(first_day)
    print("the season is over", settings.reloads, "reloads", flush=True)


if __name__ == "__main__":
    main()
