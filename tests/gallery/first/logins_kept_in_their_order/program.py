# SPDX-License-Identifier: Apache-2.0
"""Portal: logins are kept by user and device in the order of their last use, and a look at one
that is several rounds old sweeps out all such. The hourly report works on a copy."""

from collections import OrderedDict


class Login:
    __slots__ = ("user", "began", "pages")

    def __init__(self, user, began):
        self.user, self.began, self.pages = user, began, []


class Logins(OrderedDict):
    """A round is a quarter of an hour; a login that nobody used for four of them is over."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.round = 0

    def __getitem__(self, place):
        login = super().__getitem__(place)
        if self.over(login):
            self.sweep()
        return login

    def over(self, login):
        return login.began + 4 <= self.round

    def sweep(self):
        old = [place for place, login in self.items() if self.over(login)]
        for place in reversed(old):
            del self[place]


def log_in(logins, first, count):
    for number in range(first, first + count):
        device = "device-%08x" % (number * 2654435761 % 2**32)
        user = "user-%d" % (number % 300)
        logins[user, device] = Login(user, logins.round)


def come_back(logins, count):
    for place in list(logins)[:count]:
        logins.move_to_end(place)


def hourly_report(logins):
    copied = logins.copy()
    return sorted({login.user for login in copied.values()})[:3]


def main():
    logins = Logins()
    for hour in range(3):
        log_in(logins, hour * 600, 600)
        come_back(logins, 200)
        print(hour, hourly_report(logins), flush=True)
        logins.round += 4


main()
