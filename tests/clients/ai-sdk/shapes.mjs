// A prompt with every kind of part, as a provider would get it; prints what became of each message, as JSON.
import { secateur } from "./secateur.mjs";

const long = (name) => `${name} `.repeat(3000);
const image = new Uint8Array([137, 80, 78, 71]);
const call = (toolCallId, more = {}) => ({ type: "tool-call", toolCallId, toolName: "look", input: { at: toolCallId }, ...more });
const result = (toolCallId, output) => ({ type: "tool-result", toolCallId, toolName: "look", output });
const signed = { anthropic: { signature: "c2lnbmVk" } };
const prompt = [
  { role: "system", content: "Be short." },
  {
    role: "user",
    content: [
      { type: "text", text: "Look at this." },
      { type: "file", mediaType: "image/png", data: image },
      { type: "file", mediaType: "image/png", data: new URL("https://example.com/a.png") },
      { type: "file", mediaType: "application/pdf", data: { type: "url", url: new URL("https://example.com/a.pdf") } },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Let me see.", providerOptions: signed },
      { type: "text", text: "I look." },
      call("text"),
      call("json"),
      call("error"),
      call("content"),
      call("web", { providerExecuted: true }),
      result("web", { type: "json", value: { found: long("web") } }),
    ],
  },
  {
    role: "tool",
    content: [
      result("text", { type: "text", value: long("text") }),
      result("json", { type: "json", value: { found: long("json") } }),
      result("error", { type: "error-json", value: { found: long("error") } }),
      result("content", { type: "content", value: [{ type: "text", text: long("content") }] }),
      { type: "tool-approval-response", approvalId: "a", approved: true },
    ],
  },
  { role: "assistant", content: [call("denied")] },
  { role: "tool", content: [result("denied", { type: "execution-denied", reason: "not now" })] },
  { role: "assistant", content: [{ type: "text", text: "Done." }] },
  { role: "user", content: [{ type: "text", text: "And now?" }] },
];
const before = JSON.stringify(prompt);
const params = { prompt, providerOptions: { secateur: { session: "shapes" }, other: { kept: true } } };
const sent = await secateur().transformParams({ params, type: "generate", model: { modelId: "claude-sonnet-4-5" } });
console.log(
  JSON.stringify({
    same: prompt.map((message, at) => message === sent.prompt[at]),
    isMutated: JSON.stringify(prompt) !== before,
    tool: sent.prompt[3].content,
    isApprovalSame: sent.prompt[3].content[4] === prompt[3].content[4],
    providerOptions: sent.providerOptions,
  }),
);
