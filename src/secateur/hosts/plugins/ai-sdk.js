// AI SDK middleware: each request is pruned on its way to the model; the program's own messages stay as they are.
// Whatever goes wrong here, the request goes out as it came, and standard error says so once.
import { createHash, randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { jsonSchema, tool } from "ai";

const RUN = randomUUID(); // part of the names of sessions that have none
const REMEMBERED = 10_000; // calls of tools whose sessions are known
const RECALL = {
  description:
    "Read back text that secateur removed from this conversation, by the handle in the note in its place: a page, " +
    'certain `lines` ("40-80"), or what a `json_path` names.',
  schema: {
    type: "object",
    properties: {
      handle: { type: "string" },
      page: { type: "integer" },
      lines: { type: "string" },
      json_path: { type: "string" },
    },
    required: ["handle"],
    additionalProperties: false,
  },
};
const MEDIA = new Set(["image_url", "file"]);

const folder = dirname(fileURLToPath(import.meta.url)); // of the project: `secateur doctor` knows it by that
const bridge = openBridge(COMMAND, "ai-sdk", { onTrouble: complain, folder });
const sessions = new Map(); // by the id of a call
let complained = false;
let asking = 0;

// `session` names the conversation, `window` the model's context in tokens. A request may name its conversation itself:
// providerOptions: { secateur: { session } }. `tools` of the middleware has one with which the model reads back what
// was removed.
export function secateur({ session, window } = {}) {
  const requests = new WeakMap(); // parameters that were looked at: their session

  function note(params, usage, calls) {
    const name = requests.get(params);
    if (!name) return;
    for (const call of calls) remember(call.toolCallId, name);
    if (usage) void ask("usage", { session: name, usage });
  }

  return {
    tools: { recall: makeRecall(session) },

    async transformParams({ params, model }) {
      let sent = params;
      try {
        const { secateur: named, ...others } = params.providerOptions ?? {};
        if (named) sent = { ...params, providerOptions: others };
        const name = String(named?.session ?? session ?? nameSession(params.prompt));
        const prompt = await prune(params, name, model?.modelId, window);
        if (prompt !== params.prompt) sent = { ...sent, prompt };
        requests.set(sent, name);
      } catch (error) {
        complain(String(error?.message ?? error));
      }
      return sent;
    },

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      note(params, result.usage, result.content?.filter((part) => part.type === "tool-call") ?? []);
      return result;
    },

    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      const seen = new TransformStream({
        transform(chunk, controller) {
          note(params, chunk.type === "finish" ? chunk.usage : undefined, chunk.type === "tool-call" ? [chunk] : []);
          controller.enqueue(chunk);
        },
      });
      return { stream: stream.pipeThrough(seen), ...rest };
    },
  };
}

function complain(why) {
  if (!complained) console.error(`secateur: ${why}; requests go out as they came`);
  complained = true;
}

// The program ends by itself while nothing is asked.
async function ask(method, params) {
  asking += 1;
  bridge.hold(true);
  try {
    return await bridge.ask(method, params, TIMEOUT);
  } finally {
    asking -= 1;
    if (asking === 0) bridge.hold(false);
  }
}

function remember(call, session) {
  sessions.delete(call);
  sessions.set(call, session);
  if (sessions.size > REMEMBERED) sessions.delete(sessions.keys().next().value);
}

// A conversation without a name is known by its first message, in this process alone.
function nameSession(prompt) {
  const first = prompt.find((message) => message.role === "user") ?? prompt[0];
  const texts = Array.isArray(first?.content) ? first.content.map((part) => part.text ?? part.type) : [first?.content];
  return `${RUN}-${createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 16)}`;
}

function makeRecall(session) {
  return tool({
    description: RECALL.description,
    inputSchema: jsonSchema(RECALL.schema),
    execute: async (given, { toolCallId }) => {
      const made = await ask("recall", { session: sessions.get(toolCallId) ?? session ?? "", arguments: given });
      return made?.text ?? "nothing can be read back: secateur does not answer";
    },
  });
}

async function prune(params, session, model, window) {
  const messages = describePrompt(params.prompt);
  const tools = params.tools?.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  const made = await ask("fit", { session, model, window, messages: { model, tools, messages } });
  if (made?.error) complain(made.error);
  return made?.messages ? restorePrompt(params.prompt, messages, made.messages.messages) : params.prompt;
}

// What the bridge reads: a chat message for each message, and for each result of a tool. `at` is its place in the
// prompt, and that of a block its place in the message. They come back with it, if the block is not a new one.
function describePrompt(prompt) {
  return prompt.flatMap((message, owner) => {
    if (message.role !== "tool") return [{ ...describeMessage(message), at: [owner] }];
    return message.content.map((part, place) => ({ ...describeResult(part), at: [owner, place] }));
  });
}

function describeMessage({ role, content }) {
  if (typeof content === "string") return { role, content };
  const calls = [];
  const blocks = [];
  content.forEach((part, at) => {
    if (part.type === "tool-call" && !part.providerExecuted) calls.push(describeCall(part, at));
    else blocks.push(describePart(part, at));
  });
  return { role, content: blocks.length > 0 ? blocks : null, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
}

function describeCall(part, at) {
  const signed = listOptions(part).some(({ cacheControl, cachePoint, ...others }) => Object.keys(others).length > 0);
  return {
    id: part.toolCallId,
    type: "function",
    function: { name: part.toolName, arguments: JSON.stringify(part.input ?? {}) },
    ...(signed ? { extra_content: true } : {}), // the provider knows the call by more than its text: it stays
    at,
  };
}

function describePart(part, at) {
  if (part.type === "text") return { type: "text", text: part.text, at };
  if (part.type === "file") return describeFile(part, at);
  if (part.type !== "reasoning") return { type: "opaque", of: part.type, id: part.toolCallId, at };
  const given = listOptions(part);
  const data = given.find((one) => one.redactedData)?.redactedData;
  if (data) return { type: "redacted_thinking", data, at };
  return { type: "reasoning", text: part.text, signature: given.find((one) => one.signature)?.signature, at };
}

function describeResult({ type, toolCallId, approvalId, output }) {
  if (type !== "tool-result") return { role: "tool", tool_call_id: approvalId, content: { of: type } };
  return { role: "tool", tool_call_id: toolCallId, content: describeOutput(output) };
}

function describeOutput(output) {
  if (output.type === "text" || output.type === "error-text") return output.value;
  if (output.type !== "content") return output.reason ?? JSON.stringify(output.value ?? output.type);
  return output.value.map((item, at) => {
    if (item.type === "text") return { type: "text", text: item.text, at };
    return item.mediaType && item.data ? describeFile(item, at) : { type: "opaque", of: item.type, at };
  });
}

function describeFile({ data, mediaType, filename }, at) {
  const url = readAddress(data, mediaType);
  if (mediaType.startsWith("image")) return { type: "image_url", image_url: { url }, at };
  return { type: "file", file: { filename, file_data: url }, at };
}

function readAddress(data, mediaType) {
  if (data instanceof URL) return data.href;
  if (data instanceof Uint8Array) return `data:${mediaType};base64,${Buffer.from(data).toString("base64")}`;
  if (typeof data === "string") return /^(https?|data):/.test(data) ? data : `data:${mediaType};base64,${data}`;
  return data.type === "reference" || data.type === "text" ? "" : readAddress(data.data ?? data.url, mediaType);
}

function listOptions(part) {
  return Object.values(part.providerOptions ?? {}).filter((given) => given && typeof given === "object");
}

// The prompt as the view has it. What is not edited is the program's own object.
function restorePrompt(prompt, sent, shown) {
  const before = new Map(sent.map((one) => [String(one.at), one]));
  const made = [];
  for (let place = 0; place < shown.length; ) {
    const owner = shown[place].at?.[0];
    const from = place++;
    while (owner !== undefined && place < shown.length && shown[place].at?.[0] === owner) place++;
    const group = shown.slice(from, place);
    if (owner === undefined) made.push(makeMessage(group[0]));
    else made.push(restoreMessage(prompt[owner], group, before));
  }
  return made;
}

function makeMessage({ role, content }) {
  const text = typeof content === "string" ? content : content.map((block) => block.text ?? "").join("\n");
  return { role: role === "assistant" ? role : "user", content: [{ type: "text", text }] };
}

function restoreMessage(message, group, before) {
  const edited = group.filter((one) => !isEqual(one, before.get(String(one.at))));
  if (message.role !== "tool") return edited.length > 0 ? editMessage(message, before.get(String(group[0].at)), group[0]) : message;
  if (edited.length === 0 && group.length === message.content.length) return message;
  const content = group.map((one) => {
    const part = message.content[one.at[1]];
    return edited.includes(one) ? { ...part, output: editOutput(part.output, before.get(String(one.at)), one) } : part;
  });
  return { ...message, content };
}

function isEqual(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

function editMessage(message, before, { content, tool_calls: calls = [] }) {
  if (typeof message.content === "string") return { ...message, content };
  const places = mapPlaces(before.content, content);
  for (const call of calls) places.set(call.at, call);
  return {
    ...message,
    content: message.content.flatMap((part, at) => {
      const shown = places.get(at);
      if (!shown) return [];
      if (shown.function) return [editCall(part, before.tool_calls.find((call) => call.at === at), shown)];
      return [editPart(part, shown)];
    }),
  };
}

// The blocks of a content by their places. One that stands for a file has none: it is where the next file was.
function mapPlaces(before, shown) {
  const found = new Map();
  let next = 0;
  for (const block of Array.isArray(shown) ? shown : []) {
    const at = block.at ?? before.slice(next).find((one) => MEDIA.has(one.type))?.at;
    next = before.findIndex((one) => one.at === at) + 1;
    found.set(at, block);
  }
  return found;
}

function editCall(part, before, { function: { arguments: text } }) {
  return text === before.function.arguments ? part : { ...part, input: JSON.parse(text) };
}

function editPart(part, shown) {
  if (shown.type !== "text" || part.text === shown.text) return part;
  return part.type === "text" ? { ...part, text: shown.text } : { type: "text", text: shown.text };
}

function editOutput(output, before, { content }) {
  if (typeof content === "string") return { type: output.type.startsWith("error") ? "error-text" : "text", value: content };
  const items = [...mapPlaces(before.content, content)].map(([at, shown]) => editPart(output.value[at], shown));
  return { ...output, value: items };
}
