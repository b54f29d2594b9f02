"""The requests that the page makes, and their answers; none of them computes anything."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from rocbands._version import __version__
from rocbands.app.guard import Guard
from rocbands.app.jobs import Job, Jobs
from rocbands.app.receive import BodyError, read_json, store_file
from rocbands.app.store import Store, Upload, name_stored
from rocbands.app.tasks import DOWNLOADS, MOST_BYTES, MOST_ROWS, REPORTS, TASKS

_PAGE = files("rocbands.app").joinpath("page")
_REPORT_STYLE = files("rocbands").joinpath("reporting", "page", "style.css")
_PAGE_FILE = re.compile(r"[a-z][a-z0-9-]{0,40}\.(css|js|svg)")
_TYPES = {
    **{".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"},
    **{".csv": "text/csv", ".json": "application/json", ".html": "text/html"},
    **{".tex": "text/x-tex", ".png": "image/png", ".pdf": "application/pdf"},
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_EXAMPLES = {"models": "example.csv", "readers": "readings.csv"}
_OURS = ("task", "path", "example", "folder", "request")  # what the server adds to a request
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


class _Json(JSONResponse):
    """Text in ASCII: names in files may have signs that UTF-8 cannot encode."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, allow_nan=False).encode()


class Service:
    """The answers to the requests of one server."""

    def __init__(
        self, store: Store, jobs: Jobs, token: str, stop: Callable[[], None], file: Path | None
    ) -> None:
        self._store, self._jobs, self._token, self._stop = store, jobs, token, stop
        self._file = file  # of the option --file
        self._upload: Upload | None = None  # the same, as an upload
        self._state: tuple[int, int] | None = None  # time and size of what was copied

    @property
    def routes(self) -> list[Route]:
        """All addresses."""
        return [
            Route("/", self.show_page),
            Route("/page/{file}", self.show_page_file),
            Route("/api/state", self.show_state),
            Route("/api/uploads", self.add_upload, methods=["POST"]),
            Route("/api/uploads/example", self.add_example, methods=["POST"]),
            Route("/api/uploads/{id}", self.drop_upload, methods=["DELETE"]),
            Route("/api/jobs", self.start_job, methods=["POST"]),
            Route("/api/jobs/{id}", self.show_job),
            Route("/api/jobs/{id}", self.cancel_job, methods=["DELETE"]),
            Route("/api/jobs/{id}/report", self.show_report),
            Route("/api/jobs/{id}/files/{name}", self.send_file),
            Route("/api/stop", self.stop, methods=["POST"]),
        ]

    async def show_page(self, request: Request) -> Response:
        return self._fill("index.html", "text/html")

    async def show_page_file(self, request: Request) -> Response:
        name = request.path_params["file"]
        if name == "report.css":  # the colours of reports
            return Response(_REPORT_STYLE.read_text("utf-8"), media_type="text/css")
        if not _PAGE_FILE.fullmatch(name) or not _PAGE.joinpath(name).is_file():
            raise BodyError("There is no such file.", 404)
        return self._fill(name, _TYPES[Path(name).suffix])

    def _fill(self, name: str, kind: str) -> Response:
        """Send a file of the page; the links in it need the token."""
        text = _PAGE.joinpath(name).read_text("utf-8").replace("{{token}}", self._token)
        return Response(text, media_type=kind)

    async def show_state(self, request: Request) -> Response:
        limits = {"bytes": MOST_BYTES, "rows": MOST_ROWS}
        file = await run_in_threadpool(self._offer_file)
        state = {"version": __version__, "limits": limits, "file": file}
        return _Json({**state, "readers": True, "excel": True})

    def _offer_file(self) -> dict[str, object] | None:
        """Return a copy of the file of --file, also if it was dropped, or the file was changed."""
        if self._file is None or not self._file.is_file():
            return None
        facts = self._file.stat()
        state = facts.st_mtime_ns, facts.st_size
        if self._upload is None or state != self._state or not self._store.find(self._upload.id):
            folder = self._store.make_folder()
            name = self._file.name.encode(errors="surrogateescape").decode(errors="replace")
            place = folder / name_stored(name)
            shutil.copyfile(self._file, place)
            self._upload, self._state = self._store.add(name, place, folder), state
        return self._upload.to_dict()

    async def add_upload(self, request: Request) -> Response:
        try:
            folder = self._store.make_folder()
        except OSError as problem:
            raise self._refuse_disk(problem) from None
        try:
            name = await store_file(request, folder / "upload")
        except OSError as problem:
            await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)
            raise self._refuse_disk(problem) from None
        except BaseException:  # also if the browser was closed
            await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)
            raise
        place = (folder / "upload").rename(folder / name_stored(name))
        return _Json(self._store.add(name, place, folder).to_dict(), 201)

    def _refuse_disk(self, problem: OSError) -> BodyError:
        why, place = problem.strerror or problem, self._store.folder.parent
        return BodyError(f"The file cannot be stored: {why}. Make room in {place}.", 507)

    async def add_example(self, request: Request) -> Response:
        kind = (await read_json(request)).get("kind")
        if not isinstance(kind, str) or kind not in _EXAMPLES:
            raise BodyError(f"The example must be one of {', '.join(_EXAMPLES)}.")
        name = _EXAMPLES[kind]
        place = Path(str(files("rocbands.io").joinpath(name)))
        upload = self._store.add(name, place, self._store.make_folder(), kind)
        return _Json(upload.to_dict(), 201)

    async def drop_upload(self, request: Request) -> Response:
        self._store.drop(request.path_params["id"])
        return _Json({})

    async def start_job(self, request: Request) -> Response:
        given = await read_json(request)
        asked = {name: value for name, value in given.items() if name not in _OURS}
        task = given.get("task")
        if not isinstance(task, str) or task not in TASKS:
            raise BodyError(f"The task must be one of {', '.join(TASKS)}.")
        if "upload" in TASKS[task]:
            upload = self._store.find(asked.get("upload"))
            if upload is None:
                raise BodyError("The file is no longer here. Choose it again.", 404)
            asked |= {"path": str(upload.path), "name": upload.name, "example": upload.kind}
            asked["folder"] = str(upload.folder)
        if "of" in TASKS[task]:
            other = self._find_job(asked.get("of"))
            if other.state != "done" or asked.get("name") not in DOWNLOADS.get(other.task, ()):
                raise BodyError("There is no such file.", 404)
            asked = {"name": asked["name"], "task": other.task, "request": dict(other.request)}
            asked["folder"] = str(other.folder)
        return _Json({"id": self._jobs.start(task, asked).id}, 201)

    async def show_job(self, request: Request) -> Response:
        return _Json(self._find_job(request.path_params["id"]).to_dict())

    async def cancel_job(self, request: Request) -> Response:
        job = self._find_job(request.path_params["id"])
        await run_in_threadpool(self._jobs.cancel, job.id)  # a start under way is waited for
        return _Json(job.to_dict())

    async def show_report(self, request: Request) -> Response:
        job = self._find_job(request.path_params["id"])
        if job.task not in REPORTS or job.state != "done":
            raise BodyError("There is no such report.", 404)
        page = (job.folder / "report.html").read_text("utf-8")
        policy = _POLICY.search(page)
        assert policy is not None, "reports state their policy"
        headers = {
            "Content-Security-Policy": f"{policy[1]}; frame-ancestors 'self'",
            "X-Frame-Options": "SAMEORIGIN",
        }
        return Response(page, media_type="text/html", headers=headers)

    async def send_file(self, request: Request) -> Response:
        job, name = self._find_job(request.path_params["id"]), request.path_params["name"]
        made = (job.request.get("name"),) if job.task == "file" else ()
        known = DOWNLOADS.get(job.task, made)
        if job.state != "done" or name not in known or not (job.folder / name).is_file():
            raise BodyError("There is no such file.", 404)
        kind = "inline" if "inline" in request.query_params else "attachment"
        policy = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
        return FileResponse(
            job.folder / name,
            media_type=_TYPES[Path(name).suffix],
            filename=name,
            content_disposition_type=kind,
            headers=policy if name.endswith(".svg") else None,
        )

    async def stop(self, request: Request) -> Response:
        self._stop()
        return _Json({})

    def _find_job(self, key: Any) -> Job:
        job = self._jobs.find(str(key))
        if job is None:
            raise BodyError("The result is no longer here. Ask for it again.", 404)
        return job


def make_app(
    store: Store,
    jobs: Jobs,
    *,
    token: str,
    once: str | None,
    hosts: Iterable[str],
    port: int,
    stop: Callable[[], None],
    file: Path | None = None,
) -> Guard:
    """Make the application; `stop` ends its server, `file` is there from the start.

    `once` opens the page for the first who has it, in place of the token.
    """
    service = Service(store, jobs, token, stop, file)
    handlers: Any = dict.fromkeys((BodyError, ClientDisconnect, 404, Exception), _refuse)
    app = Starlette(routes=service.routes, exception_handlers=handlers)
    return Guard(app, token, once, hosts, port)


async def _refuse(request: Request, problem: Exception) -> Response:
    """Answer a request that failed, as jobs do."""
    message, status = "This should not happen; the terminal has the details.", 500
    if isinstance(problem, BodyError):
        message, status = problem.message, problem.status
    elif isinstance(problem, ClientDisconnect):
        message, status = "The upload was cut off. Choose the file again.", 400
    elif isinstance(problem, HTTPException):
        message, status = "There is no such address.", 404
    return _Json({"error": {"message": message, "field": None, "row": None}}, status)
