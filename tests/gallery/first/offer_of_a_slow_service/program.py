# SPDX-License-Identifier: Apache-2.0
"""Asks a service for an offer over gRPC."""

import os
import subprocess
import sys
import threading

import grpc

SERVICE = """
import sys, time
from concurrent import futures
import grpc
class Handler(grpc.GenericRpcHandler):
    def service(self, details):
        def offer(request, context):
            print("x", flush=True)
            time.sleep(600)
        return grpc.unary_unary_rpc_method_handler(offer)
server = grpc.server(futures.ThreadPoolExecutor(2))
server.add_generic_rpc_handlers((Handler(),))
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
server.wait_for_termination()
"""


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def offer(port):
    with grpc.insecure_channel("127.0.0.1:%d" % port) as channel:
        return channel.unary_unary("/shop/Offer")(b"lamp")


def watch(service):
    service.stdout.readline()
    tell()


def main():
    service = subprocess.Popen([sys.executable, "-c", SERVICE], stdout=subprocess.PIPE)
    port = int(service.stdout.readline())
    threading.Thread(target=watch, args=(service,), daemon=True).start()
    print(offer(port))


main()
