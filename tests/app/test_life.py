"""How a server starts and ends, and what it leaves behind: nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rocbands.app import store
from rocbands.cli import main
from rocbands.errors import say_install
from tests.app.client import PATIENCE, ROOT, Server, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")


def processes_of(parent: int) -> list[int]:
    """Processes that a process has started, and theirs."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True)
    parents = dict(tuple(map(int, line.split())) for line in listed.stdout.splitlines())
    found, new = [], {parent}
    while new:
        new = {pid for pid, above in parents.items() if above in new}
        found += new
    return found


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (
        stat.exists() and stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    )


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 0)], ids=["TERM", "Ctrl-C"]
)
def test_a_signal_ends_everything(base: Path, number: int, code: int) -> None:
    server = Server(base)
    server.upload(b"y,s\n" + b"1,2\n0,1\n" * 5)
    job = server.start("plan", auc=0.8, band_width=0.01)  # which takes a minute
    server.wait(job, "running")
    (folder,) = server.folders
    assert folder.stat().st_mode & 0o777 == 0o700
    children = processes_of(server.process.pid)
    assert children
    server.process.send_signal(number)
    out, err = server.process.communicate(timeout=PATIENCE)
    assert (server.process.returncode, out) == (code, "")
    assert "Traceback" not in err
    assert list(base.iterdir()) == []
    wait_until(lambda: not any(map(is_alive, children)), "all processes end")


def test_the_button_ends_everything(base: Path) -> None:
    server = Server(base)
    assert server.post("/api/stop", {}) == {}
    server.process.communicate(timeout=PATIENCE)
    assert (server.process.returncode, server.folders) == (0, [])


def test_after_a_kill_the_next_start_removes_the_folder(base: Path) -> None:
    killed, live = Server(base), Server(base)
    upload = live.upload(b"y,s\n1,2\n0,1\n")
    job = killed.start("plan", auc=0.8, band_width=0.01)
    killed.wait(job, "running")
    children = processes_of(killed.process.pid)
    own = {server: server.process.pid for server in (killed, live)}
    assert len(live.folders) == len(own)
    killed.process.kill()
    killed.process.communicate(timeout=PATIENCE)
    wait_until(lambda: not any(map(is_alive, children)), "jobs end with their server")
    assert len(live.folders) == 2
    stranger = base / "rocbands-app-of-nobody"
    stranger.symlink_to(ROOT)
    with Server(base) as third:
        assert len(live.folders) == 3  # of the two that run, and the link
        assert third.result("plan", auc=0.8, width=0.2)["sentence"]
        assert live.result("preview", upload=upload)["n_rows"] == 2  # whose folder is untouched
    live.end()
    assert list(base.iterdir()) == [stranger]
    assert (ROOT / "pyproject.toml").exists()


def test_folders_without_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    begun, left = tmp_path / "rocbands-app-begun", tmp_path / "rocbands-app-left"
    begun.mkdir()
    (left / "x").mkdir(parents=True)
    store.remove_stale()
    assert begun.exists()  # another server may be about to lock it
    assert not left.exists()


def test_the_file_of_the_command_line_stays_and_is_read_again_if_it_changed(
    base: Path, tmp_path: Path
) -> None:
    file = tmp_path / "my scores.csv"
    file.write_bytes(b"y,s\n" + b"1,2\n0,1\n" * 5)

    def offered() -> dict[str, Any]:
        return dict(json.loads(server.ask("GET", "/api/state")[2])["file"])

    with Server(base, "--file", str(file)) as server:
        first = offered()
        assert (first["name"], first["size"]) == ("my scores.csv", file.stat().st_size)
        assert offered() == first
        file.write_bytes(b"y,s\n" + b"1,2\n0,1\n" * 9)
        asked = {"upload": first["id"], "label": "y"}
        assert server.result("labels", **asked)["n_rows"] == 10  # as it was
        again = offered()["id"]
        assert server.result("labels", upload=again, label="y")["n_rows"] == 18
        server.ask("DELETE", f"/api/uploads/{again}")
    assert file.exists()


def test_a_long_name_of_the_temporary_folder(tmp_path: Path) -> None:
    long = tmp_path / ("x" * 120)  # more than the name of a socket may have
    with Server(long) as server:
        assert server.result("plan", auc=0.8, width=0.2)["sentence"].startswith("Plan ")
        job = server.start("plan", auc=0.8, band_width=0.01)
        server.wait(job, "running")
    assert list(long.iterdir()) == []


def test_another_address_needs_a_token(base: Path) -> None:
    refused = CliRunner().invoke(main, ["app", "--no-browser", "--host", "0.0.0.0"])
    assert refused.exit_code == 2
    assert refused.stderr == (
        "rocbands: --host opens the app to other computers, so it needs --token; there is none. "
        "Choose a secret of at least 16 letters and digits, and pass it by --token; or leave "
        "--host out.\n"
    )
    for token in ("short", "with spaces in it, and more"):
        refused = CliRunner().invoke(main, ["app", "--host", "0.0.0.0", "--token", token])
        assert refused.exit_code == 2
        assert "--token must have at least 16 characters" in refused.stderr
    with Server(base, "--host", "127.0.0.2", "--token", "a-token-of-16-or-more") as server:
        assert (server.host, server.token) == ("127.0.0.2", "a-token-of-16-or-more")
        assert server.ask("GET", "/api/state")[0] == 200
        assert server.ask("GET", "/api/state", headers={"Host": "evil.example"})[0] == 403


def test_a_port_that_is_taken_is_refused(server: Server) -> None:
    taken = CliRunner().invoke(main, ["app", "--no-browser", "--port", str(server.port)])
    assert taken.exit_code == 2
    said = f"rocbands: There must be a free port {server.port} at 127.0.0.1; found: Address"
    assert taken.stderr.startswith(said)
    assert taken.stderr.endswith("Choose another --port, or leave it out.\n")


def test_a_file_that_is_not_there() -> None:
    refused = CliRunner().invoke(main, ["app", "--no-browser", "--file", "nowhere.csv"])
    assert refused.exit_code == 2
    assert "The file must exist; there is no 'nowhere.csv'" in refused.stderr


def test_what_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    known = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "uvicorn" else known(name)
    )
    refused = CliRunner().invoke(main, ["app", "--no-browser"])
    assert refused.exit_code == 2
    assert refused.stderr == (
        "rocbands: The app needs Starlette, uvicorn, python-multipart and openpyxl; not installed: "
        f"uvicorn. Install them with: {say_install('app')}\n"
    )


def test_the_server_loads_nothing_heavy() -> None:
    code = (
        "import sys, rocbands.cli.serve, rocbands.app.run, rocbands.app.server; "
        "print([m for m in ('numpy', 'scipy', 'matplotlib', 'jinja2', 'pyarrow', 'openpyxl') "
        "if m in sys.modules])"
    )
    source = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_a_closed_terminal_leaves_nothing(base: Path) -> None:
    server = Server(base)
    server.upload(b"y,s\n1,2\n0,1\n")
    server.process.send_signal(signal.SIGHUP)
    server.process.communicate(timeout=PATIENCE)
    assert list(base.iterdir()) == []


def test_the_browser_is_not_started_with_the_token(base: Path, tmp_path: Path) -> None:
    """Others on this computer can see the address; it opens the page for the first only."""
    noted, program = tmp_path / "address", tmp_path / "browser"
    script = f"#!/bin/sh\nprintf %s \"$1\" > '{noted}.part' && mv '{noted}.part' '{noted}'\n"
    program.write_text(script, encoding="utf-8")
    program.chmod(0o700)
    with Server(base, browser=str(program)) as server:
        wait_until(noted.exists, "the browser is started")
        address = noted.read_text(encoding="utf-8")
        assert server.token not in address
        path = address[address.index("/?") :]
        for wrong in (path[:-1], "/?once=%C3%A9", "/?once=%FF"):
            assert server.ask("GET", wrong, token=False)[0] == 403
        assert server.ask("GET", path.replace("/?", "/api/state?"), token=False)[0] == 403
        status, headers, _ = server.ask("GET", path, token=False)
        assert (status, headers["location"]) == (303, f"/?token={server.token}")
        assert server.ask("GET", path, token=False)[0] == 403


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--port", "99999"], "--port must be from 0 to 65535; got 99999"),
        (["--host", "0.0.0.0", "--token", "a-token-of-16-or-more"], "must be one address or name"),
    ],
)
def test_addresses_that_cannot_be(given: list[str], said: str) -> None:
    refused = CliRunner().invoke(main, ["app", "--no-browser", *given])
    assert refused.exit_code == 2
    assert said in refused.stderr
