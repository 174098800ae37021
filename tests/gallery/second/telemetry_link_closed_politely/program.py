# SPDX-License-Identifier: Apache-2.0
"""Telemetry gateway: uploads the readings of a shift over TLS and closes the link politely."""

import json
import os
import socket
import ssl
import subprocess
import sys

DEPOT = """
import socket, ssl, sys, time
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("depot.pem")
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
link = context.wrap_socket(listener.accept()[0], server_side=True)
link.recv(65536)
link.sendall(b"stored")
time.sleep(600)
"""
DEPOT_PEM = """-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPzQn++zEbfltxeow
IOqSD43Urc0FZYHatCdglRajG/yhRANCAAQIL3le4JW4fRKrCaSGsijv7PbaVccr
gQMBbyU/0IUqwMc+TzxeXfwlqv91V0YeAA+QsIysO51dgH7mCl3mQK31
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBdzCCAR2gAwIBAgIUDtV+pw5i6b6QgB3WJTEzSmaHA60wCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFZGVwb3QwIBcNMjYxMTI5MDM1ODU0WhgPMjEyNjExMDUwMzU4
NTRaMBAxDjAMBgNVBAMMBWRlcG90MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
CC95XuCVuH0SqwmkhrIo7+z22lXHK4EDAW8lP9CFKsDHPk88Xl38Jar/dVdGHgAP
kLCMrDudXYB+5gpd5kCt9aNTMFEwHQYDVR0OBBYEFBslg9Ri3P1KbN/hmYkp5Osj
0s9JMB8GA1UdIwQYMBaAFBslg9Ri3P1KbN/hmYkp5Osj0s9JMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgANnhv7tMnHH21ev1Oe3AzSLV7O42AH9V
SVHWWe4lITMCIQDlW/MSTfeNqeG4Y0AAbeCO4AhWH3WG/+sQC8wsFlQ8jg==
-----END CERTIFICATE-----
"""


class Link:
    """An encrypted link to the depot that keeps the readings."""

    def __init__(self, port):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        self.socket = context.wrap_socket(socket.create_connection(("127.0.0.1", port)))

    def upload(self, readings):
        self.socket.sendall(json.dumps(readings).encode("ascii"))
        return self.socket.recv(64)

    def close(self):
        self.socket.unwrap().close()


def main():
    with open("depot.pem", "w") as file:
        file.write(DEPOT_PEM)
    depot = subprocess.Popen([sys.executable, "-c", DEPOT], stdout=subprocess.PIPE)
    link = Link(int(depot.stdout.readline()))
    print(link.upload([{"pump": 4, "bar": 2.71}, {"pump": 5, "bar": 2.64}]))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    link.close()
    depot.kill()


main()
