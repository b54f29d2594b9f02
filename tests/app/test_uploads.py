"""Files that are uploaded: limits, names, archives, several at once."""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from rocbands.app import receive
from rocbands.app.jobs import MOST_JOBS
from rocbands.app.store import MOST_UPLOADS
from tests.app.client import BOUNDARY, FORM, PATIENCE, Server, form, wait_until
from tests.io.zip_bomb import zip_bomb

ROWS = b"outcome,score\n" + b"1,0.8\n0,0.3\n1,0.6\n0,0.4\n" * 10


def stored(server: Server) -> list[Path]:
    while True:
        with suppress(FileNotFoundError):  # a folder that is removed meanwhile
            return [path for path in server.base.rglob("upload*") if path.is_file()]


def test_10_gb_are_refused_before_they_are_sent(server: Server) -> None:
    before = stored(server)
    head = "\r\n".join(
        [
            "POST /api/uploads HTTP/1.1",
            f"Host: 127.0.0.1:{server.port}",
            f"X-Rocbands-Token: {server.token}",
            f"Content-Type: {FORM['Content-Type']}",
            f"Content-Length: {10 * 2**30}",
            "",
            "",
        ]
    )
    with socket.create_connection((server.host, server.port), PATIENCE) as line:
        line.sendall(head.encode())  # and not one byte of the body
        answer = http.client.HTTPResponse(line)
        answer.begin()
        said = json.loads(answer.read())["error"]["message"]
    assert answer.status == 413
    assert said.startswith("A file must have at most 1 GB here")
    assert "'rocbands count'" in said
    assert stored(server) == before


def test_a_body_that_does_not_say_its_length_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, with a limit of 100 kB."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

    place, sent = tmp_path / "upload", []

    async def take(request: Request) -> Response:
        try:
            name = await receive.store_file(request, place, most=100_000)
        except receive.BodyError as problem:
            return PlainTextResponse(problem.message, problem.status)
        return PlainTextResponse(name)

    def parts() -> list[bytes]:
        whole = form(b"x" * 10_000_000, "large.csv")
        return [whole[start : start + 65_536] for start in range(0, len(whole), 65_536)]

    app = Starlette(routes=[Route("/", take, methods=["POST"])])
    status, body = post_in_parts(app, parts(), sent)
    assert status == 413
    assert body.startswith(b"A file must have at most 0.1 MB here")
    assert sum(sent) <= 300_000  # of 10 MB that could be had
    assert place.stat().st_size <= 100_000


def post_in_parts(app: object, parts: list[bytes], sent: list[int]) -> tuple[int, bytes]:
    """Call an application with a body that comes in parts; `sent` notes what it took."""
    import asyncio

    left, answer = list(parts), []

    async def give() -> dict[str, object]:
        part = left.pop(0)
        sent.append(len(part))
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    async def take(message: dict[str, object]) -> None:
        answer.append(message)

    headers = [(b"content-type", FORM["Content-Type"].encode())]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers, "query_string": b""}
    asyncio.run(app(scope, give, take))
    return answer[0]["status"], answer[1]["body"]


@pytest.mark.parametrize(
    ("name", "shown", "suffix"),
    [
        ("../../../etc/passwd", "passwd", ""),
        ("..\\..\\scores.csv", "scores.csv", ".csv"),
        ("/etc/cron.d/scores.CSV", "scores.CSV", ".csv"),
        ("a.csv/../../b.sh", "b.sh", ""),
        ("scores.csv\x00.sh", "scores.csv?.sh", ""),
        ("...", "...", ""),
        ("", "file", ""),
        ("<img src=x onerror=alert(1)>.csv", "<img src=x onerror=alert(1)>.csv", ".csv"),
        ("x" * 1000 + ".csv", "x" * 200, ""),
        ("-rf.csv", "-rf.csv", ".csv"),
    ],
)
def test_names_are_text_only(server: Server, name: str, shown: str, suffix: str) -> None:
    before = set(stored(server))
    status, _, body = server.ask("POST", "/api/uploads", form(ROWS, name), FORM)
    assert status == 201
    upload = json.loads(body)
    assert upload["name"] == shown
    (new,) = set(stored(server)) - before
    assert new.name == f"upload{suffix}"
    assert new.parent.parent == server.folders[0]
    assert os.stat(new.parent).st_mode & 0o077 == 0
    assert server.result("preview", upload=upload["id"])["name"] == shown
    server.ask("DELETE", f"/api/uploads/{upload['id']}")
    assert not set(stored(server)) - before  # one that was older may have made room


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no form",
        form(ROWS, "a.csv", field="other"),
        form(ROWS, "a.csv")[:60],
        form(ROWS, "a.csv")[: -len(BOUNDARY)],
        form(ROWS, "a.csv").removesuffix(f"--{BOUNDARY}--\r\n".encode()) + form(ROWS, "b.csv"),
    ],
    ids=["empty", "no form", "other field", "cut in the head", "cut at the end", "two files"],
)
def test_a_form_that_cannot_be_used_leaves_nothing(server: Server, body: bytes) -> None:
    before = stored(server)
    status, _, answer = server.ask("POST", "/api/uploads", body, FORM)
    assert status == 400
    assert json.loads(answer)["error"]["message"].endswith(".")
    assert stored(server) == before


def test_an_upload_that_is_cut_off_leaves_nothing(server: Server) -> None:
    before = stored(server)
    connection = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
    connection.putrequest("POST", "/api/uploads")
    for name, value in {
        **FORM,
        "X-Rocbands-Token": server.token,
        "Content-Length": "999999",
    }.items():
        connection.putheader(name, value)
    connection.endheaders(form(ROWS, "a.csv")[:200])
    wait_until(lambda: len(stored(server)) > len(before), "the upload begins")
    connection.close()
    wait_until(lambda: stored(server) == before, "the part of an upload is removed")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"a": NaN', b"[" * 100_000, b"\xff"])
def test_json_that_cannot_be_used(server: Server, body: bytes) -> None:
    status, _, answer = server.ask("POST", "/api/jobs", body)
    assert status == 400
    assert json.loads(answer)["error"]["message"].startswith("A request must be one JSON object")


def test_long_json_is_refused(server: Server) -> None:
    assert server.ask("POST", "/api/jobs", b" " * 2_000_000)[0] == 413


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"task": "preview", "upload": "../../x"}, 404),
        ({"task": "preview", "upload": ["x"]}, 404),
        ({"task": "preview", "path": "/etc/passwd"}, 404),
        ({"task": "file", "of": "x", "name": "report.html"}, 404),
        ({"task": "os.system"}, 400),
        ({"task": None}, 400),
        ({"task": ["preview"]}, 400),
    ],
)
def test_unknown_tasks_and_files(server: Server, asked: dict[str, object], status: int) -> None:
    got, _, body = server.ask("POST", "/api/jobs", json.dumps(asked).encode())
    assert got == status
    assert json.loads(body)["error"]["message"].endswith(".")


def test_a_path_in_a_request_is_not_read(server: Server) -> None:
    upload = server.upload(ROWS)
    found = server.result("preview", upload=upload, path="/etc/passwd", name="passwd")
    assert (found["name"], found["columns"][0]["name"]) == ("scores.csv", "outcome")


def test_several_uploads_at_once(server: Server) -> None:
    found: dict[int, str] = {}

    def send(k: int) -> None:
        rows = b"".join(b"%d,%d\n" % (i % 2, i * k) for i in range(5000))
        upload = server.upload(b"outcome,score_%d\n" % k + rows, f"file {k}.csv")
        found[k] = server.result("preview", upload=upload)["columns"][1]["name"]

    threads = [threading.Thread(target=send, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: f"score_{k}" for k in range(8)}


def test_old_uploads_and_jobs_are_dropped(base: Path) -> None:
    with Server(base) as server:
        uploads = [server.upload(ROWS) for _ in range(MOST_UPLOADS + 5)]
        assert len(stored(server)) == MOST_UPLOADS
        gone = json.dumps({"task": "preview", "upload": uploads[0]}).encode()
        status, _, body = server.ask("POST", "/api/jobs", gone)
        assert status == 404
        assert b"no longer here. Choose it again." in body
        jobs = [server.start("preview", upload=uploads[-1]) for _ in range(MOST_JOBS + 5)]
        assert server.ask("GET", f"/api/jobs/{jobs[0]}")[0] == 404
        assert {server.wait(job)["state"] for job in jobs[-5:]} == {"done"}
        others = 2  # the lock, and the socket that starts jobs
        assert len(list(server.folders[0].iterdir())) == MOST_UPLOADS + MOST_JOBS + others


@pytest.mark.parametrize("lie", [False, True])
def test_a_zip_bomb_is_refused(server: Server, lie: bool) -> None:
    bomb = zip_bomb(lie)
    assert len(bomb) < 3_000_000
    error = server.error("preview", upload=server.upload(bomb, "scores.xlsx"))
    assert error["message"].startswith("scores.xlsx must be a whole Excel workbook (.xlsx)")
    honest, lying = "larger than 1 GB once it is unpacked", "has not the size that it states"
    assert (lying if lie else honest) in error["message"]
