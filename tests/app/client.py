"""A server in a process of its own, and requests to it as the page makes them."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0  # seconds; far more than anything here takes
BOUNDARY = "a-boundary-of-the-form"


class Server:
    """A running ``rocbands app``; its temporary files are under `base`."""

    def __init__(self, base: Path, *options: str, browser: str | None = None) -> None:
        base.mkdir(exist_ok=True)
        self.base = base
        source = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        command = [sys.executable, "-m", "rocbands", "app", *options]
        command += ["--no-browser"] if browser is None else []
        self.process = subprocess.Popen(
            command,
            env={**os.environ, "TMPDIR": str(base), "PYTHONPATH": source, "BROWSER": browser or ""},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if found is None:
            _, said = self.process.communicate(timeout=PATIENCE)
            raise AssertionError(f"{line}{said}")
        self.address = found[0]
        parts = urlsplit(self.address)
        self.host, self.port = str(parts.hostname), int(parts.port or 80)
        self.token = parse_qs(parts.query)["token"][0]

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: object, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=PATIENCE)

    @property
    def folders(self) -> list[Path]:
        return list(self.base.glob("rocbands-app-*"))

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        token: bool = True,
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request; return status, headers and body."""
        own = {"X-Rocbands-Token": self.token} if token else {}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, {**own, **(headers or {})})
            answer = connection.getresponse()
            found = {name.casefold(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read()
        finally:
            connection.close()

    def post(self, path: str, value: Any) -> Any:
        """Post JSON; the answer must be good."""
        body = json.dumps(value).encode()
        status, _, answer = self.ask("POST", path, body, {"Content-Type": "application/json"})
        assert status in (200, 201), answer.decode()
        return json.loads(answer)

    def upload(self, data: bytes, name: str = "scores.csv") -> str:
        """Upload a file; return its id."""
        status, _, answer = self.ask("POST", "/api/uploads", form(data, name), FORM)
        assert status == 201, answer.decode()
        return str(json.loads(answer)["id"])

    def example(self, kind: str = "models") -> str:
        return str(self.post("/api/uploads/example", {"kind": kind})["id"])

    def start(self, task: str, **asked: Any) -> str:
        return str(self.post("/api/jobs", {"task": task, **asked})["id"])

    def job(self, key: str) -> dict[str, Any]:
        status, _, answer = self.ask("GET", f"/api/jobs/{key}")
        assert status == 200, answer.decode()
        found: dict[str, Any] = json.loads(answer)
        return found

    def wait(self, key: str, *states: str) -> dict[str, Any]:
        """Wait until a job has ended, or is in one of the given states."""
        end = time.monotonic() + PATIENCE
        while (job := self.job(key))["state"] not in (states or ("done", "failed", "cancelled")):
            assert time.monotonic() < end, job
            time.sleep(0.02)
        return job

    def run(self, task: str, **asked: Any) -> dict[str, Any]:
        return self.wait(self.start(task, **asked))

    def result(self, task: str, **asked: Any) -> dict[str, Any]:
        """Run a job that must succeed; return its result, with its id."""
        job = self.run(task, **asked)
        assert job["state"] == "done", job
        return {**job["result"], "id": job["id"]}

    def error(self, task: str, **asked: Any) -> dict[str, Any]:
        """Run a job that must fail; return its error."""
        job = self.run(task, **asked)
        assert job["state"] == "failed", job
        found: dict[str, Any] = job["error"]
        return found

    def download(self, key: str, name: str) -> bytes:
        """Let a file of a job's answer be made, and fetch it."""
        made = self.result("file", of=key, name=name)
        status, headers, body = self.ask("GET", f"/api/jobs/{made['id']}/files/{quote(name)}")
        assert status == 200, body.decode()
        assert headers["content-disposition"] == f'attachment; filename="{name}"'
        return body


FORM = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def form(data: bytes, name: str, field: str = "file") -> bytes:
    """Write a form with one file, as browsers do."""
    quoted = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    head = f'Content-Disposition: form-data; name="{field}"; filename="{quoted}"'
    parts = [f"--{BOUNDARY}", head, "Content-Type: application/octet-stream", "", ""]
    return "\r\n".join(parts).encode() + data + f"\r\n--{BOUNDARY}--\r\n".encode()


def wait_until(holds: Any, what: str) -> None:
    """Wait for a condition."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what
        time.sleep(0.02)
