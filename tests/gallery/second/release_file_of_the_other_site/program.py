# SPDX-License-Identifier: Apache-2.0
"""The month is closed here as soon as the other site has put its release file onto the share."""

import os
import time


class Share:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def released(self, month):
        return os.path.exists(os.path.join(self.folder, f"{month}.released"))

    def await_release(self, month, every):
        looked = 0
        while not self.released(month):
            looked += 1
            time.sleep(every)
        return looked


def close_month(share, month):
    share.await_release(month, 600)
    print("closed", month)


def main():
    share = Share("share")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    close_month(share, "2026-10")


main()
