# SPDX-License-Identifier: Apache-2.0
"""Remote calls over XML, with connections that are kept."""

import socketserver
import threading
import xmlrpc.server


class Handler(xmlrpc.server.SimpleXMLRPCRequestHandler):
    protocol_version = "HTTP/1.1"
    rpc_paths = ("/orders",)


class Server(socketserver.ThreadingMixIn, xmlrpc.server.SimpleXMLRPCServer):
    daemon_threads = True


class Service:
    """Offers the public methods of an object."""

    def __init__(self, offered, address=("127.0.0.1", 0)):
        self.server = Server(address, Handler, logRequests=False, allow_none=True)
        self.server.register_instance(offered)
        self.thread = threading.Thread(target=self.server.serve_forever, name="rpc")

    @property
    def url(self):
        return "http://{}:{}/orders".format(*self.server.server_address)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *reason):
        self.server.shutdown()
        self.thread.join()
