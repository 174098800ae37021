# SPDX-License-Identifier: Apache-2.0
"""A TLS front for tenants. A connection that was given up is forgotten, but the bytes that have
come for it are still given to its handshake."""

import gc
import ssl


def context_for(side):
    context = ssl.SSLContext(side)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ADH:@SECLEVEL=0")
    return context


class Front:
    def __init__(self):
        self.context = context_for(ssl.PROTOCOL_TLS_SERVER)
        self.context.sni_callback = self.choose_tenant
        self.connections = {}
        self.machines = {}

    def choose_tenant(self, connection, name, context):
        print("tenant", name)

    def accept(self, number, incoming, outgoing):
        connection = self.context.wrap_bio(incoming, outgoing, server_side=True)
        self.connections[number] = connection
        self.machines[number] = connection._sslobj

    def give_up(self, number):
        del self.connections[number]
        gc.collect()

    def bytes_came(self, number):
        self.machines[number].do_handshake()


def main():
    front = Front()
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context_for(ssl.PROTOCOL_TLS_CLIENT).wrap_bio(
        to_client, to_server, server_hostname="shop.example.org"
    )
    front.accept(1, to_server, to_client)
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        pass
    front.give_up(1)
    front.bytes_came(1)


main()
