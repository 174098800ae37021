# SPDX-License-Identifier: Apache-2.0
"""Sends the articles of a newspaper to its search index."""

import asyncio
import json
import os
from pathlib import Path

SENDERS = 3


class IndexClient:
    def __init__(self):
        self.sent = 0

    async def index(self, article):
        body = json.dumps({"id": article["id"], "year": int(article["date"][:4])})
        await asyncio.sleep(0.002)
        self.sent += 1
        return len(body)


async def send_articles(articles, client):
    while True:
        article = await articles.get()
        await client.index(article)
        articles.task_done()


async def reindex():
    client = IndexClient()
    articles = asyncio.Queue()
    senders = [asyncio.ensure_future(send_articles(articles, client)) for _ in range(SENDERS)]
    for number in range(900):
        date = "undated" if number % 250 == 249 else "1987-04-02"
        articles.put_nowait({"id": number, "date": date})
    await articles.join()
    for sender in senders:
        sender.cancel()
    print("indexed", client.sent)


if __name__ == "__main__":
    Path("ready").write_text(f"{os.getpid()}\n")
    asyncio.run(reindex())
