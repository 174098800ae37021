# SPDX-License-Identifier: Apache-2.0
"""What becomes of a bag of cards."""


def carry(bags, posted):
    while True:
        posted.extend(bags.get())
        bags.task_done()
