"""Settlement of a savings bank: collective bookings lock all their accounts, the smaller one first."""

import contextlib
import logging
import os
import sys
import threading
from decimal import Decimal

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(threadName)s: %(message)s")
log = logging.getLogger("settlement")


class Account:
    def __init__(self, iban, balance):
        self.iban = iban
        self.balance = Decimal(balance)
        self.lock = threading.Lock()

    def __repr__(self):
        return f"<{self.iban} {self.balance}>"


class Step:
    """Lets two bookings go hand in hand, as two slow database rows did in production."""

    def __init__(self):
        self.first_holds = threading.Event()
        self.deposited = threading.Event()
        self.second_holds = threading.Event()

    def after_lock(self, count):
        if count != 1:
            return
        name = threading.current_thread().name
        if name == "standing-orders":
            self.first_holds.set()
            self.second_holds.wait()
        elif name == "card-clearing":
            self.second_holds.set()


step = Step()


@contextlib.contextmanager
def locked(accounts):
    """Lock accounts in a fixed order, so that nobody can wait in a circle."""
    with contextlib.ExitStack() as stack:
        ordered = sorted(accounts, key=lambda account: account.balance)
        for count, account in enumerate(ordered, 1):
            stack.enter_context(account.lock)
            step.after_lock(count)
        yield


class Bank:
    def __init__(self):
        rows = [("DE01", "150.00"), ("DE02", "900.00"), ("DE03", "5000.00"), ("DE04", "75.10")]
        self.accounts = {iban: Account(iban, balance) for iban, balance in rows}

    def transfer(self, source, target, amount):
        pair = [self.accounts[source], self.accounts[target]]
        with locked(pair):
            pair[0].balance -= amount
            pair[1].balance += amount
        log.info("%s -> %s %s", source, target, amount)

    def accrue(self, iban, amount):
        """Interest goes to one account: a single addition needs no lock."""
        self.accounts[iban].balance += amount
        log.info("interest for %s: now %s", iban, self.accounts[iban].balance)


def standing_orders(bank):
    bank.transfer("DE01", "DE02", Decimal("25"))


def interest(bank):
    step.first_holds.wait()
    bank.accrue("DE01", Decimal("812.44"))
    step.deposited.set()


def card_clearing(bank):
    step.deposited.wait()
    bank.transfer("DE02", "DE01", Decimal("61.90"))


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    bank = Bank()
    jobs = [
        threading.Thread(target=job, args=(bank,), name=job.__name__.replace("_", "-"))
        for job in (standing_orders, interest, card_clearing)
    ]
    bank.transfer("DE03", "DE04", Decimal("1"))
    for job in jobs:
        job.start()
    jobs[1].join()
    threading.Timer(1.0, announce).start()
    for job in jobs:
        job.join()
    log.info("closed: %s", sorted(bank.accounts.values(), key=lambda account: account.iban))


main()
