"""What the providers' own packages take for a request: a second opinion that knows nothing of our rules.

Rule: shapes only, as their types state them. A package that is not installed has no opinion.
"""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

PACKAGES = {
    "anthropic_messages": "anthropic",
    "openai_chat": "openai",
    "openai_responses": "openai",
    "gemini": "google.genai",
    "bedrock_converse": "botocore",
}


def installed(format: str) -> bool:
    name = PACKAGES[format]
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def refusal(format: str, body: Any) -> str:
    """Why the provider's package would not take a body, or a list of messages; "" if it does."""
    arrays = {"gemini": "contents", "openai_responses": "input"}
    try:
        _judge(format)({arrays.get(format, "messages"): body} if isinstance(body, list) else body)
    except _errors() as error:
        return f"{type(error).__name__}: {str(error)[:600]}"
    return ""


@cache
def _judge(format: str) -> Callable[[dict[str, Any]], None]:
    return {
        "anthropic_messages": _anthropic,
        "openai_chat": _openai_chat,
        "openai_responses": _openai_responses,
        "gemini": _gemini,
        "bedrock_converse": _bedrock,
    }[format]()


@cache
def _errors() -> tuple[type[Exception], ...]:
    found: list[type[Exception]] = []
    if find_spec("pydantic"):
        from pydantic import ValidationError

        found.append(ValidationError)
    if installed("bedrock_converse"):
        from botocore.exceptions import ParamValidationError

        found.append(ParamValidationError)
    return tuple(found)


def _anthropic() -> Callable[[dict[str, Any]], None]:
    from anthropic.types.beta import BetaMessageParam
    from pydantic import TypeAdapter

    message = TypeAdapter(BetaMessageParam)
    return lambda body: _all(message, body["messages"])


def _openai_chat() -> Callable[[dict[str, Any]], None]:
    from openai.types.chat import ChatCompletionMessageParam
    from pydantic import TypeAdapter

    message: TypeAdapter[Any] = TypeAdapter(ChatCompletionMessageParam)
    return lambda body: _all(message, body["messages"])


def _openai_responses() -> Callable[[dict[str, Any]], None]:
    from openai.types.responses import ResponseInputItemParam
    from pydantic import TypeAdapter

    item: TypeAdapter[Any] = TypeAdapter(ResponseInputItemParam)
    return lambda body: None if isinstance(body["input"], str) else _all(item, body["input"])


def _gemini() -> Callable[[dict[str, Any]], None]:
    from google.genai.types import Content

    return lambda body: [Content.model_validate(content) for content in body["contents"]] and None


def _bedrock() -> Callable[[dict[str, Any]], None]:
    from botocore.exceptions import ParamValidationError
    from botocore.loaders import Loader
    from botocore.model import ServiceModel
    from botocore.validate import ParamValidator

    model = ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"), "bedrock-runtime")
    shape = model.operation_model("Converse").input_shape

    def judge(body: dict[str, Any]) -> None:
        known = {name: value for name, value in body.items() if name in shape.members}
        report = ParamValidator().validate({"modelId": "m"} | known, shape)
        if report.has_errors():
            raise ParamValidationError(report=report.generate_report())

    return judge


def _all(adapter: Any, values: list[Any]) -> None:
    """Validate, and look into what pydantic would only look at when it is iterated."""
    for value in values:
        _exhaust(adapter.validate_python(value))


def _exhaust(value: Any) -> None:
    if isinstance(value, dict):
        for inner in value.values():
            _exhaust(inner)
    elif not isinstance(value, str | bytes) and hasattr(value, "__iter__"):
        for inner in value:
            _exhaust(inner)
