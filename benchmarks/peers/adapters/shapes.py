"""Pieces as the bodies that several peers take, and back: Anthropic's messages, OpenAI's chat messages.

Rule: results and the user's words that stand together become one Anthropic message; a chat message is one piece. What
comes back in another order or with other texts comes back as it is; nothing is mended.
"""

import json


def anthropic(pieces):
    """Messages of an Anthropic request."""
    return together(pieces, _blocks)


def together(pieces, blocks):
    """Messages of the `blocks` that each piece is; results and the user's words that stand together are one message."""
    found = []
    for piece in pieces:
        role = "assistant" if piece["role"] == "assistant" else "user"
        if found and role == found[-1]["role"] == "user":
            found[-1]["content"] += blocks(piece)
        else:
            found.append({"role": role, "content": blocks(piece)})
    return found


def from_anthropic(messages):
    """The pieces of such messages."""
    found = []
    for message in messages:
        blocks = message["content"]
        blocks = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks
        if message["role"] == "assistant":
            found.append(_answer(blocks))
            continue
        for one in blocks:
            if one["type"] == "tool_result":
                text = words(one.get("content"))
                found.append({"role": "tool", "call": one["tool_use_id"], "name": "", "text": text, "error": False})
            elif one["type"] == "text":
                found.append({"role": "user", "text": one["text"]})
    return found


def chat(pieces):
    """Messages of a chat completion."""
    return [_chat(piece) for piece in pieces]


def from_chat(messages):
    """The pieces of such messages."""
    found = []
    for message in messages:
        text = words(message.get("content"))
        if message["role"] == "tool":
            found.append({"role": "tool", "call": message["tool_call_id"], "name": "", "text": text, "error": False})
        elif message["role"] == "assistant":
            calls = [
                {"id": one["id"], "name": one["function"]["name"], "args": json.loads(one["function"]["arguments"])}
                for one in message.get("tool_calls") or ()
            ]
            found.append({"role": "assistant", "text": text, "calls": calls})
        else:
            found.append({"role": "user", "text": text})
    return found


def words(content):
    """The text of a message or of a result."""
    if isinstance(content, str) or content is None:
        return content or ""
    return "\n\n".join(block if isinstance(block, str) else block.get("text", "") for block in content)


def _answer(blocks):
    text = words([block for block in blocks if block["type"] == "text"])
    calls = [
        {"id": one["id"], "name": one["name"], "args": one["input"]} for one in blocks if one["type"] == "tool_use"
    ]
    return {"role": "assistant", "text": text, "calls": calls}


def _blocks(piece):
    if piece["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": piece["call"], "content": piece["text"]}
        return [result | ({"is_error": True} if piece["error"] else {})]
    text = [{"type": "text", "text": piece["text"]}] if piece["text"] else []
    calls = piece.get("calls", ())
    return text + [{"type": "tool_use", "id": one["id"], "name": one["name"], "input": one["args"]} for one in calls]


def _chat(piece):
    if piece["role"] == "tool":
        return {"role": "tool", "tool_call_id": piece["call"], "name": piece["name"], "content": piece["text"]}
    said = {"role": piece["role"], "content": piece["text"]}
    if piece.get("calls"):
        said["tool_calls"] = [
            {
                "id": one["id"],
                "type": "function",
                "function": {"name": one["name"], "arguments": json.dumps(one["args"])},
            }
            for one in piece["calls"]
        ]
    return said
