# SPDX-License-Identifier: Apache-2.0
"""Somebody pressed Ctrl- (SIGQUIT) while the program waited for input on its terminal; nothing
was wrong.
"""

import os
import sys


def ask():
    return sys.stdin.readline()


with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
ask()
