# SPDX-License-Identifier: Apache-2.0
"""A gRPC server that waits for calls; nothing is wrong with it."""

import os
from concurrent import futures

import grpc


def serve():
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    server.add_insecure_port("127.0.0.1:0")
    server.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    server.wait_for_termination()


serve()
