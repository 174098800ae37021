# SPDX-License-Identifier: Apache-2.0
"""A glossary is served to translators by gRPC; one of them has just asked for two words."""

import os
from concurrent import futures
from pathlib import Path

import grpc

WORDS = {b"Weiche": b"points", b"Kupplung": b"coupler"}


class Glossary(grpc.GenericRpcHandler):
    def service(self, call):
        if call.method == "/glossary.Words/Translate":
            return grpc.unary_unary_rpc_method_handler(self.translate)
        return None

    def translate(self, word, context):
        if word not in WORDS:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such word")
        return WORDS[word]


def main():
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    server.add_generic_rpc_handlers((Glossary(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        translate = channel.unary_unary("/glossary.Words/Translate")
        print([translate(word, timeout=10) for word in WORDS])
    Path("ready").write_text(f"{os.getpid()}\n")
    server.wait_for_termination()


if __name__ == "__main__":
    main()
