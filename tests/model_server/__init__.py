"""A scripted model behind the APIs of Anthropic, OpenAI, Google and Amazon, with a simulated prompt cache.

    model = ScriptedModel(Script((Step(calls=(Call(command="ls"),)), Step("Done."))))
    with upstream(model, other=model) as server: ...

`model.answers` has one entry per answered request: which script and step, and what the cache gave. A request without
the tool that a step needs is a side call (a title, a summary) and gets a text.
"""

import json
import re
from collections import Counter
from threading import Lock
from typing import Any

from msgspec import Struct

from model_server.apis import APIS, find_api, list_models
from model_server.apis.api import Api, Reply, ReplyCall
from model_server.prompt_cache import PromptCache, Usage
from model_server.script import Call, Failure, Script, Step, choose_call
from upstream import Handler, Says, says, streams_slowly

__all__ = ["APIS", "FINAL", "Answer", "Call", "Failure", "Script", "ScriptedModel", "Step", "addresses", "reads"]

FINAL = "I have read all of them."
SIDE = "A short title"
_CUED = 3  # items at the start of a conversation that say whose it is


class Answer(Struct, frozen=True):
    """What was answered to one request."""

    api: str
    kind: str  # main, side, failure, count
    usage: Usage
    script: int = 0
    step: int = 0
    messages: int = 0  # items of its conversation


class ScriptedModel:
    """A model that plays scripts: of those whose cue a request has, the first; the last one has no cue."""

    def __init__(
        self,
        *scripts: Script,
        delay_s: float = 0.0,
        repeats: bool = False,
        window: int = 0,
        asides: dict[str, str] | None = None,
    ) -> None:
        self.scripts, self.delay_s, self.repeats = scripts, delay_s, repeats
        self.window = window  # tokens that a request may have; 0: as many as it likes
        self.asides = asides or {}  # a text in the last item of a request: the answer, whatever the script says
        self.answers: list[Answer] = []
        self.cache = PromptCache()
        self._refused: Counter[tuple[int, int]] = Counter()
        self._lock = Lock()

    def __call__(self, handler: Handler) -> None:
        received = handler.received
        found = find_api(received.path)
        if found is None or received.method != "POST":
            return _answer_other(received.method, received.path, received.headers)(handler)
        api, route = found
        body = json.loads(received.body)
        named = re.search(r"/models?/([^/:]+)", received.path)
        body.setdefault("model", named[1] if named else "scripted")
        with self._lock:
            say = self._answer(api, route, body)
        return say(handler)

    def _answer(self, api: Api, route: str, body: dict[str, Any]) -> Says:
        if route == "count":
            counted = body.get("generateContentRequest", body)
            usage = PromptCache().charge("", api.blocks(counted), api.needs_markers)
            self._record(Answer(api.name, "count", usage))
            return says(200, json.dumps(api.count(usage.total)))
        number, position = self._find_step(api, body)
        script, tools = self.scripts[number], api.tools(body)
        failure = script.failures.get(position)
        items = len(body.get(api.items) or ())
        aside = self._find_aside(api, body)
        is_side = bool(aside) or not _can_play(script, tools)
        if failure and not is_side and self._refused[number, position] < failure.times:
            self._refused[number, position] += 1
            self._record(Answer(api.name, "failure", Usage(0, 0, 0), number, position, items))
            return says(failure.status, json.dumps(api.refuse(failure)), **failure.headers)
        tokens = PromptCache().charge("", api.blocks(body), needs_markers=False).total if self.window else 0
        if tokens > self.window:
            self._record(Answer(api.name, "failure", Usage(0, 0, 0), number, position, items))
            too_long = Failure(400, is_overflow=True, tokens=tokens, window=self.window)
            return says(too_long.status, json.dumps(api.refuse(too_long)))
        usage = self.cache.charge(str(body["model"]), api.blocks(body), api.needs_markers)
        self._record(Answer(api.name, "side" if is_side else "main", usage, number, position, items))
        step = Step(aside or SIDE) if is_side else script.steps[position]
        reply = self._make_reply(step, tools, body, usage)
        if body.get("stream") or route == "stream":
            return streams_slowly(api.stream(reply), api.stream_kind, self.delay_s)
        return says(200, json.dumps(api.write(reply)))

    def _find_step(self, api: Api, body: dict[str, Any]) -> tuple[int, int]:
        text = json.dumps((body.get(api.items) or [])[:_CUED], ensure_ascii=False)
        number = next(number for number, script in enumerate(self.scripts) if script.cue in text)
        steps = len(self.scripts[number].steps)
        position = self.scripts[number].find_position(api.spoken(body))
        return number, position % steps if self.repeats else min(position, steps - 1)

    def _find_aside(self, api: Api, body: dict[str, Any]) -> str:
        last = json.dumps((body.get(api.items) or [])[-1:], ensure_ascii=False)
        return next((answer for text, answer in self.asides.items() if text in last), "")

    def _make_reply(self, step: Step, tools: dict[str, Any], body: dict[str, Any], usage: Usage) -> Reply:
        number = len(self.answers)
        chosen = [found for call in step.calls if (found := choose_call(call, tools))]
        calls = tuple(ReplyCall(f"call_{number:05d}_{at}", *call) for at, call in enumerate(chosen))
        return Reply(number, body, usage, step.text, step.thinking, calls)

    def _record(self, answer: Answer) -> None:
        self.answers.append(answer)


def _can_play(script: Script, tools: dict[str, Any]) -> bool:
    calls = [call for step in script.steps for call in step.calls]
    return not calls or any(choose_call(call, tools) for call in calls)


def _answer_other(method: str, path: str, headers: dict[str, str]) -> Says:
    if headers.get("upgrade", "").lower() == "websocket":
        return says(426, json.dumps({"error": {"message": "no WebSocket here"}}), connection="close")
    if path.partition("?")[0].rstrip("/").endswith("/models"):
        return says(200, json.dumps(list_models(("scripted",))))
    return says(200 if method in ("GET", "HEAD") else 404, "{}")


def reads(*files: str, thinking: str = "", at_once: int = 1) -> ScriptedModel:
    """A model that reads these files with the tool `read_file`, so many with each answer, and then begins anew."""
    groups = [files[at : at + at_once] for at in range(0, len(files), at_once)]
    steps = [
        Step(f"Reading {some[0]}.", thinking, tuple(Call("read_file", {"path": name}) for name in some))
        for some in groups
    ]
    return ScriptedModel(Script((*steps, Step(FINAL, thinking))), repeats=True)


def addresses(url: str) -> dict[str, str]:
    """The variables by which the providers' clients find this server."""
    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), "sk-none")
    bases = {"ANTHROPIC_BASE_URL": url, "OPENAI_BASE_URL": f"{url}/v1", "GOOGLE_GEMINI_BASE_URL": url}
    return {**keys, **bases, "ANTHROPIC_AUTH_TOKEN": "", "GOOGLE_API_KEY": ""}
