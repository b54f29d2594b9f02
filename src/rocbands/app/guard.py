"""What stands before every request: the token, Host and Origin; and headers of every response.

A page of another site can send requests to this computer, and its name can be made to resolve to
127.0.0.1. Neither has the token, and their Origin and Host have other names.
"""

from __future__ import annotations

from collections.abc import Iterable
from secrets import compare_digest
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "x-rocbands-token"
# Scripts and styles by file, nothing from elsewhere.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_READING = ("GET", "HEAD")
_NO_TOKEN = "The address must contain the token. Open the address that 'rocbands app' printed."


class Guard:
    """Refuse requests that do not come from the app's own page; add headers to responses.

    `hosts` are the names under which the server is reached. `once` opens the page one time only, in
    place of the token: other users of the computer can see the address that a browser is started
    with.
    """

    def __init__(
        self, app: ASGIApp, token: str, once: str | None, hosts: Iterable[str], port: int
    ) -> None:
        self._app = app
        self._token, self._once = token, once
        self._hosts = {f"{host}:{port}".casefold() for host in hosts}
        if port == 80:  # which browsers leave out
            self._hosts |= {host.casefold() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)  # reports have a policy of their own
            await send(message)

        refusal = self._find_fault(scope)
        answer: ASGIApp | Response = (
            self._app if refusal is None else PlainTextResponse(f"{refusal}\n", 403)
        )
        if refusal == _NO_TOKEN and self._opens(scope):
            self._once = None
            answer = RedirectResponse(f"/?token={self._token}", 303)
        await answer(scope, receive, send_guarded)

    def _opens(self, scope: Scope) -> bool:
        """Tell whether a request opens the page for the first time."""
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = query.get("once", [""])[0]
        page = scope["path"] == "/" and scope["method"] == "GET"
        once = self._once
        return page and once is not None and compare_digest(given.encode(), once.encode())

    def _find_fault(self, scope: Scope) -> str | None:
        """Say why a request is refused; None if it is not."""
        headers = Headers(scope=scope)
        if headers.get("host", "").casefold() not in self._hosts:
            return "The Host of a request must be this computer."
        own = {f"http://{host}" for host in self._hosts}
        if any(origin.casefold() not in own for origin in headers.getlist("origin")):
            return "The Origin of a request must be this page."
        site = headers.get("sec-fetch-site", "same-origin")
        if scope["method"] not in _READING and site != "same-origin":
            return "Only this page may change anything here."
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = headers.get(HEADER) or query.get("token", [""])[0]
        if not compare_digest(given.encode(), self._token.encode()):
            return _NO_TOKEN
        return None
