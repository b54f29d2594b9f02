"""Requests that do not come from the app's own page are refused; responses state what is allowed."""

from __future__ import annotations

import re

import pytest

from rocbands.app.guard import POLICY
from tests.app.client import FORM, Server, form

ADDRESSES = ["/", "/page/app.css", "/api/state", "/api/jobs/x", "/api/jobs/x/report", "/nowhere"]


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.parametrize("given", [{}, {"X-Rocbands-Token": "wrong"}, {"X-Rocbands-Token": "ü"}])
def test_no_answer_without_the_token(server: Server, path: str, given: dict[str, str]) -> None:
    status, _, body = server.ask("GET", path, headers=given, token=False)
    assert status == 403
    assert body.startswith(b"The address must contain the token.")


def test_the_token_may_be_in_the_address(server: Server) -> None:
    assert server.ask("GET", f"/?token={server.token}", token=False)[0] == 200
    assert server.ask("GET", f"/?token={server.token[:-1]}", token=False)[0] == 403
    assert server.ask("GET", f"/?token=wrong&token={server.token}", token=False)[0] == 403


def test_a_token_cannot_be_guessed(server: Server) -> None:
    assert len(server.token) >= 43  # 256 bits


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "192.168.0.1:{port}"],
)
def test_another_host_is_refused(server: Server, host: str) -> None:
    named = {"Host": host.format(port=server.port)}
    status, _, body = server.ask("GET", "/api/state", headers=named)
    assert (status, body) == (403, b"The Host of a request must be this computer.\n")


def test_the_names_of_this_computer_are_accepted(server: Server) -> None:
    for host in ("localhost", "127.0.0.1", "[::1]", "LOCALHOST"):
        assert server.ask("GET", "/api/state", headers={"Host": f"{host}:{server.port}"})[0] == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://a@b"],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_another_origin_is_refused(server: Server, method: str, origin: str) -> None:
    named = {"Origin": origin.format(port=server.port)}
    status, _, body = server.ask(method, "/api/jobs", b"{}", named)
    assert (status, body) == (403, b"The Origin of a request must be this page.\n")


def test_another_site_changes_nothing(server: Server) -> None:
    origin = {"Origin": f"http://127.0.0.1:{server.port}"}
    for site, status in (
        ("cross-site", 403),
        ("same-site", 403),
        ("none", 403),
        ("same-origin", 201),
    ):
        sent = {**FORM, **origin, "Sec-Fetch-Site": site}
        assert server.ask("POST", "/api/uploads", form(b"y,s\n1,2\n", "a.csv"), sent)[0] == status


@pytest.mark.parametrize("path", [*ADDRESSES, "/api/uploads"])
def test_every_response_states_what_is_allowed(server: Server, path: str) -> None:
    for token in (True, False):
        _, headers, _ = server.ask("GET", path, token=token)
        assert headers["content-security-policy"] == POLICY
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert "set-cookie" not in headers
        assert "server" not in headers


def test_the_page_has_scripts_by_file_only(server: Server) -> None:
    status, _, body = server.ask("GET", "/")
    page = body.decode()
    assert status == 200
    assert "{{token}}" not in page
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|style=", page)
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)
    for file in re.findall(r"""(?:src|href)=["'](/?page/[^"']+)""", page):
        status, headers, _ = server.ask("GET", f"/{file.lstrip('/')}", token=False)
        assert status == 200, file
        assert headers["content-type"].split(";")[0] in ("text/css", "text/javascript")


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/page/../server.py",
            "/page/..%2fserver.py",
            "/page/%2e%2e/server.py",
            "/page/index.html",
        ),
        *("/page/.hidden.js", "/page/a%00.js", "/page//etc/passwd", "/page/..%5cserver.py"),
        *(
            "/api/jobs/../state",
            "/api/jobs/..%2f..%2flock/report",
            "/api/jobs/x/files/..%2foutcome",
        ),
    ],
)
def test_paths_lead_nowhere_else(server: Server, path: str) -> None:
    status, _, body = server.ask("GET", path)
    assert status == 404
    assert b"error" in body
