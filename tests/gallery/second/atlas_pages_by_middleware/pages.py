# SPDX-License-Identifier: Apache-2.0
"""The pages of an atlas, and who may see them."""

from framework import HTTPMiddleware, Response, Router, StreamingResponse

atlas = Router()


@atlas.route("/legend")
async def legend(scope):
    return Response(b"contours every 20 m")


@atlas.route("/sheet/47")
async def sheet(scope):
    async def strips():
        for number in range(scope.get("strips", 12)):
            yield b"strip %d\n" % number

    return StreamingResponse(strips())


class LicenceMiddleware(HTTPMiddleware):
    """Replaces what a reader without a licence would see."""

    async def dispatch(self, scope, call_next):
        response = await call_next(scope)
        if scope["path"].startswith("/sheet") and not scope.get("licence"):
            return Response(b"a licence is needed for this sheet", 403)
        return response
