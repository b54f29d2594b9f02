"""`rocbands app`: the analysis as a page in the browser, on this computer."""

from __future__ import annotations

from pathlib import Path

import click

from rocbands.cli import messages, options
from rocbands.errors import InputError, say_install

_NEEDED = ("starlette", "uvicorn", "python_multipart", "openpyxl")


@messages.command("app", "The analysis in the browser, for people who do not program.")
@options.whole("--port", "Port; by default one that is free.", 0)
@options.flag("--no-browser", "Print the address, and open no browser.")
@options.input_file("--file", "File of scores to begin with.")
@options.text("--host", "Address for other computers; needs --token.", "ADDRESS")
@options.text("--token", "Secret in the address; by default a random one.", "TEXT")
def app(
    *, port: int | None, no_browser: bool, file: str | None, host: str | None, token: str | None
) -> None:
    """Serve one page on this computer, and open it in the browser; Ctrl-C stops it.

    The page reads a file of scores, shows the report and offers tables and pictures. Data stay on
    this computer: uploads are in a private temporary folder, which is removed at the end. Nobody
    else can open the page, because its address has a random token.
    """
    _check_installed()
    if file is not None and not Path(file).is_file():
        from rocbands.io.streams import explain_unreadable

        raise explain_unreadable(file, FileNotFoundError())

    from rocbands.app.run import serve

    def say(address: str) -> None:
        click.echo(f"The page is at {address}")
        if not messages.is_quiet():
            click.echo("Ctrl-C stops it. Data stay on this computer.", err=True)

    serve(
        say=say,
        port=port or 0,
        host=host,
        token=token,
        file=None if file is None else Path(file),
        browser=not no_browser,
    )


def _check_installed() -> None:
    """Say how to install what the page needs."""
    from importlib.util import find_spec

    absent = [name for name in _NEEDED if find_spec(name) is None]
    if absent:
        raise InputError(
            "The app needs Starlette, uvicorn, python-multipart and openpyxl",
            f"not installed: {', '.join(absent)}",
            f"Install them with: {say_install('app')}",
        )
