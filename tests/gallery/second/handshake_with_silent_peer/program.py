# SPDX-License-Identifier: Apache-2.0
"""A TLS client without a timeout waits in the handshake with a server that never answers."""

import os
import socket
import ssl
import subprocess
import sys

SERVER = """
import socket, time
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(5)
print(listener.getsockname()[1], flush=True)
peer, _ = listener.accept()
time.sleep(100)
"""


def fetch_catalogue(port):
    plain = socket.create_connection(("127.0.0.1", port))
    context = ssl.create_default_context()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    return context.wrap_socket(plain, server_hostname="localhost")


def main():
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE)
    fetch_catalogue(int(server.stdout.readline()))


main()
