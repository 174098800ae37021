# SPDX-License-Identifier: Apache-2.0
"""Mails are collected through TLS; the session is closed properly before the next is begun."""

import os
import queue
import socket
import ssl
import threading

KIND = "AECDH-AES128-SHA:@SECLEVEL=0"


def context_for(protocol):
    context = ssl.SSLContext(protocol)
    if protocol == ssl.PROTOCOL_TLS_CLIENT:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(KIND)
    return context


class MailHost(threading.Thread):
    """Stands for the mail host: hands out a mail for each line that it is told of."""

    def __init__(self, connection, arrivals):
        super().__init__(name="mail-host", daemon=True)
        self.connection = connection
        self.arrivals = arrivals

    def run(self):
        context = context_for(ssl.PROTOCOL_TLS_SERVER)
        with context.wrap_socket(self.connection, server_side=True) as session:
            while True:
                mail = self.arrivals.get()
                session.sendall(mail.encode() + b"\n")


class Collector:
    def __init__(self, connection):
        context = context_for(ssl.PROTOCOL_TLS_CLIENT)
        self.session = context.wrap_socket(connection)

    def collect(self):
        return self.session.recv(200).decode()

    def close(self):
        plain = self.session.unwrap()
        plain.close()


def main():
    ours, theirs = socket.socketpair()
    arrivals = queue.Queue()
    MailHost(theirs, arrivals).start()
    collector = Collector(ours)
    arrivals.put("Subject: minutes of Monday")
    print(collector.collect())
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    collector.close()
    arrivals.put("Subject: too late")


main()
