"""The server from its start to its end: a free port, the browser, Ctrl-C.

Starlette and uvicorn are imported late: meanwhile the library is loaded for the first job.
"""

from __future__ import annotations

import re
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rocbands.app.jobs import Jobs
from rocbands.app.store import Store
from rocbands.errors import InputError, arg

if TYPE_CHECKING:
    import uvicorn

LOOPBACK = "127.0.0.1"
_LOCAL = (LOOPBACK, "localhost", "[::1]")
_TOKEN = re.compile(r"[\w-]{16,}", re.ASCII)
_PATIENCE = 2  # seconds that requests under way have at the end


def serve(
    *,
    say: Callable[[str], None],
    port: int = 0,
    host: str | None = None,
    token: str | None = None,
    file: Path | None = None,
    browser: bool = True,
) -> None:
    """Serve the page until it is stopped; `say` prints its address."""
    _check_access(host, token)
    token = token or secrets.token_urlsafe(32)
    with _listen(host or LOOPBACK, port) as listening:
        port = listening.getsockname()[1]
        shown = f"[{host}]" if host and ":" in host else host or LOOPBACK
        address = f"http://{shown}:{port}/?token={token}"
        store = Store()
        jobs = Jobs(store)
        try:
            server = _make_server(store, jobs, token, (*_LOCAL, shown), port, file)
            say(address)
            if browser:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
            with suppress(KeyboardInterrupt):
                server.run(sockets=[listening])
        finally:
            jobs.close()
            store.close()


def _make_server(
    store: Store, jobs: Jobs, token: str, hosts: tuple[str, ...], port: int, file: Path | None
) -> uvicorn.Server:
    import uvicorn

    from rocbands.app.server import make_app

    def stop() -> None:
        server.should_exit = True

    app = make_app(store, jobs, token=token, hosts=hosts, port=port, stop=stop, file=file)
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    server = uvicorn.Server(config)
    return server


def _check_access(host: str | None, token: str | None) -> None:
    """Refuse an address that others reach without a token that they were given."""
    if host not in (None, LOOPBACK) and token is None:
        raise InputError(
            f"{arg('host')} opens the app to other computers, so it needs {arg('token')}",
            "there is none",
            f"Choose a secret of at least 16 letters and digits, and pass it by {arg('token')}; or "
            f"leave {arg('host')} out.",
        )
    if token is not None and not _TOKEN.fullmatch(token):
        raise InputError(
            "must have at least 16 characters: letters, digits, - and _",
            f"it has {len(token)}" if len(token) < 16 else "it has others",
            "Choose another one.",
            argument="token",
        )


def _listen(host: str, port: int) -> socket.socket:
    """Take a port, a free one for 0; connections wait until the server is ready."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as problem:
        raise InputError(
            f"There must be a free port {port} at {host}",
            f"found: {problem.strerror or problem}",
            f"Choose another {arg('port')}, or leave it out.",
        ) from None
