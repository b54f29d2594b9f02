"""The server from its start to its end: a free port, the browser, Ctrl-C.

Starlette and uvicorn are imported late: meanwhile the library is loaded for the first job.
"""

from __future__ import annotations

import re
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocbands.app.jobs import Jobs
from rocbands.app.store import Store
from rocbands.app.tasks import MOST_BYTES
from rocbands.errors import InputError, Message, arg

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
    if file is not None and file.stat().st_size > MOST_BYTES:
        raise InputError(
            "must have at most 1 GB",
            f"it has {file.stat().st_size / 1e9:.1f} GB",
            "Count it first by 'rocbands count', and open the counts.",
            argument="file",
        )
    token = token or secrets.token_urlsafe(32)
    with _listen(host or LOOPBACK, port) as listening:
        port = listening.getsockname()[1]
        shown = f"[{host}]" if host and ":" in host else host or LOOPBACK
        page, once = f"http://{shown}:{port}/", secrets.token_urlsafe(32)
        store = Store()
        jobs = Jobs(store)
        try:
            how = {"token": token, "once": once if browser else None, "file": file}
            server = _make_server(store, jobs, hosts=(*_LOCAL, shown), port=port, **how)
            say(f"{page}?token={token}")
            if browser:
                # Everybody on this computer can see what programs are started with, so the browser
                # is not started with the token.
                opened = (f"{page}?once={once}",)
                threading.Thread(target=webbrowser.open, args=opened, daemon=True).start()
            with suppress(KeyboardInterrupt), _end_with_terminal(server):
                server.run(sockets=[listening])
        finally:
            with _undisturbed():
                jobs.close()
                store.close()


@contextmanager
def _end_with_terminal(server: uvicorn.Server) -> Iterator[None]:
    """End the server when its terminal is closed, as by Ctrl-C."""
    if not _takes_signals():
        yield
        return
    before = signal.signal(signal.SIGHUP, lambda *_: setattr(server, "should_exit", True))
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let no signal interrupt the removal of data."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if _takes_signals() else ()
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _takes_signals() -> bool:
    return sys.platform != "win32" and threading.current_thread() is threading.main_thread()


def _make_server(store: Store, jobs: Jobs, **how: Any) -> uvicorn.Server:
    import uvicorn

    from rocbands.app.server import make_app

    def stop() -> None:
        server.should_exit = True

    app = make_app(store, jobs, stop=stop, **how)
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
            Message(
                "{} opens the app to other computers, so it needs {}", arg("host"), arg("token")
            ),
            "there is none",
            Message(
                "Choose a secret of at least 16 letters and digits, and pass it by {}; or leave {} "
                "out.",
                arg("token"),
                arg("host"),
            ),
        )
    if token is not None and not _TOKEN.fullmatch(token):
        raise InputError(
            "must have at least 16 characters: letters, digits, - and _",
            f"it has {len(token)}" if len(token) < 16 else "it has others",
            "Choose another one.",
            argument="token",
        )
    if host in ("0.0.0.0", "::"):
        raise InputError(
            "must be one address or name of this computer",
            f"{host} stands for all of them",
            "Pass the one that others will type.",
            argument="host",
        )


def _listen(host: str, port: int) -> socket.socket:
    """Take a port, a free one for 0; connections wait until the server is ready."""
    if not 0 <= port <= 65535:
        raise InputError("must be from 0 to 65535", f"got {port}", argument="port")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as problem:
        raise InputError(
            f"There must be a free port {port} at {host}",
            f"found: {problem.strerror or problem}",
            Message("Choose another {}, or leave it out.", arg("port")),
        ) from None
