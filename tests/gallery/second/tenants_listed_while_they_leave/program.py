# SPDX-License-Identifier: Apache-2.0
"""A directory of tenants that keeps nobody alive: who is gone is taken off the list."""

import functools
import os
import threading
import time
import weakref


class Tenant:
    def __init__(self, name, floor):
        self.name = name
        self.floor = floor
        self.household = [self]


class Directory:
    def __init__(self):
        self._guard = threading.Lock()
        self._entries = {}

    def register(self, tenant):
        leave = functools.partial(self._strike_off, tenant.name)
        with self._guard:
            self._entries[tenant.name] = weakref.ref(tenant, leave)

    def _strike_off(self, name, _reference):
        with self._guard:
            self._entries.pop(name, None)

    def bell_board(self, floors):
        with self._guard:
            board = {floor: [] for floor in range(floors)}
            for name, reference in self._entries.items():
                tenant = reference()
                if tenant is not None:
                    board[tenant.floor].append({"name": name, "floor": tenant.floor})
            return board


def tell():
    time.sleep(2.0)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    directory = Directory()
    threading.Thread(target=tell, daemon=True).start()
    staying = [Tenant("tenant %d" % n, n % 9) for n in range(40)]
    for tenant in staying:
        directory.register(tenant)
    for month in range(600):
        guest = Tenant("guest of month %d" % month, month % 9)
        directory.register(guest)
        del guest, tenant
        board = directory.bell_board(floors=4000)
        tenant = staying[month % 40]
    print(len(board))


main()
