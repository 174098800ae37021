# SPDX-License-Identifier: Apache-2.0
"""The balance of a shared account is divided; a refund counts as minus one."""

import ctypes
import os

ledger = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ledger.so"))
ledger.deposit.argtypes = ledger.share_of.argtypes = [ctypes.c_int, ctypes.c_int64]
ledger.share_of.restype = ctypes.c_int64


def pay_out(account, members):
    return ledger.share_of(account, members)


def refund(account):
    return pay_out(account, -1)


def close_year(accounts):
    return [refund(account) for account in accounts]


def main():
    for account in range(3):
        ledger.deposit(account, 12000 + account)
    print(pay_out(2, 0), close_year(range(5)))


main()
