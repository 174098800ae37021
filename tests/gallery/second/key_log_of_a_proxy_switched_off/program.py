# SPDX-License-Identifier: Apache-2.0
"""A proxy that logs TLS keys while somebody debugs it and stops to do so afterwards."""

import os
import ssl
import tempfile


class Proxy:
    def __init__(self):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.log = os.path.join(tempfile.gettempdir(), "proxy-keys-%d" % os.getpid())

    def debug(self, on):
        if on:
            self.context.keylog_filename = self.log
        else:
            self.switch_off()

    def switch_off(self):
        del self.context.keylog_filename
        os.unlink(self.log)


def main():
    proxy = Proxy()
    proxy.debug(True)
    print(os.path.exists(proxy.log))
    os.unlink(proxy.log)
    proxy.debug(False)


main()
