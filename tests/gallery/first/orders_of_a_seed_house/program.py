# SPDX-License-Identifier: Apache-2.0
"""Orders of a seed house: one gRPC server keeps both the orders and the stock."""

import os
from concurrent import futures
from pathlib import Path

import grpc

STOCK = {b"poppy": 40, b"flax": 12}


class SeedHouse:
    def __init__(self):
        self.server = grpc.server(futures.ThreadPoolExecutor(max_workers=1))
        self.server.add_generic_rpc_handlers((
            grpc.method_handlers_generic_handler("seeds.Orders", {
                "Place": grpc.unary_unary_rpc_method_handler(self.place_order),
            }),
            grpc.method_handlers_generic_handler("seeds.Stock", {
                "Reserve": grpc.unary_unary_rpc_method_handler(self.reserve),
            }),
        ))  # fmt: skip
        port = self.server.add_insecure_port("127.0.0.1:0")
        self.channel = grpc.insecure_channel(f"127.0.0.1:{port}")

    def place_order(self, seeds, context):
        reserved = self.channel.unary_unary("/seeds.Stock/Reserve")(seeds)
        return b"order of " + reserved

    def reserve(self, seeds, context):
        STOCK[seeds] -= 1
        return seeds


def main():
    house = SeedHouse()
    house.server.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    print(house.channel.unary_unary("/seeds.Orders/Place")(b"flax"))
    house.server.stop(None)


if __name__ == "__main__":
    main()
