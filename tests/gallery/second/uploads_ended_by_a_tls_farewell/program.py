# SPDX-License-Identifier: Apache-2.0
"""Nightly upload of survey archives to a partner by a small FTPS-like protocol.

A put is: STOR NAME SIZE, the bytes, then the closing of the TLS layer, then a reply in clear.
"""

import json
import logging
import os
import socket
import ssl
import struct
import sys
import threading

logging.basicConfig(level=logging.INFO, format="%(threadName)s %(message)s", stream=sys.stdout)
log = logging.getLogger("upload")
CIPHERS = "AECDH-AES256-SHA:@SECLEVEL=0"


def context(side):
    made = ssl.SSLContext(side)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    made.maximum_version = ssl.TLSVersion.TLSv1_2
    made.set_ciphers(CIPHERS)
    return made


class Partner:
    """What stands at the other end: it keeps what came and goes on to the next session."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        self.sessions = []

    def serve(self):
        secured = context(ssl.PROTOCOL_TLS_SERVER)
        while True:
            raw, _ = self.listener.accept()
            session = secured.wrap_socket(raw, server_side=True)
            self.sessions.append(session)
            (size,) = struct.unpack("!I", session.read(4))
            while size:
                size -= len(session.read(min(size, 4096)))
            self.sessions.append(session)


class Uploader:
    def __init__(self, address):
        self.address = address
        self.secured = context(ssl.PROTOCOL_TLS_CLIENT)
        self.stored = []

    def put(self, name, body):
        raw = socket.create_connection(self.address, timeout=10)
        data = self.secured.wrap_socket(raw)
        data.settimeout(None)  # big archives take their time
        data.sendall(struct.pack("!I", len(body)) + body)
        log.info("%s: %d bytes sent", name, len(body))
        plain = data.unwrap()
        self.stored.append((name, plain.recv(64)))
        plain.close()


def archives():
    for month in range(1, 5):
        yield f"survey-{month:02d}.bin", os.urandom(4000 + 700 * month)


def main():
    partner = Partner()
    pid = os.fork()
    if pid == 0:
        partner.serve()
        os._exit(0)
    partner.listener.close()
    threading.Thread(target=os.waitpid, args=(pid, 0), name="partner-end", daemon=True).start()
    uploader = Uploader(partner.address)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    for name, body in archives():
        uploader.put(name, body)
    log.info("stored %s", uploader.stored)


main()
