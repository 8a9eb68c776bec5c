// A session that streams, with frozen messages; prints what the program has at its end, as JSON.
import { execFileSync } from "node:child_process";
import { anthropic } from "@ai-sdk/anthropic";
import { stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { z } from "zod";
import { secateur } from "./secateur.mjs";

function freeze(value) {
  for (const one of Object.values(value)) if (one && typeof one === "object") freeze(one);
  return Object.freeze(value);
}

const middleware = secateur();
const asked = []; // prompts before and after the middleware
const transformParams = async (given) => {
  const sent = await middleware.transformParams({ ...given, params: freeze(given.params) });
  asked.push([given.params.prompt, sent.prompt]);
  return sent;
};
const model = wrapLanguageModel({ model: anthropic("claude-sonnet-4-5"), middleware: { ...middleware, transformParams } });
const bash = tool({
  inputSchema: z.object({ command: z.string() }),
  execute: async ({ command }) => execFileSync("sh", ["-c", command], { encoding: "utf8" }),
});
const cached = { anthropic: { cacheControl: { type: "ephemeral" } } };
const messages = freeze([{ role: "user", content: "Read the notes. ".repeat(2000), providerOptions: cached }]);
const result = streamText({
  model,
  messages,
  tools: { bash, ...middleware.tools },
  stopWhen: stepCountIs(40),
  providerOptions: { secateur: { session: "notes" }, anthropic: { thinking: { type: "enabled", budgetTokens: 2000 } } },
});
const text = await result.text;
const steps = await result.steps;
const [came, sent] = asked.at(-1);
console.log(
  JSON.stringify({
    text,
    outputs: steps.flatMap((step) => step.toolResults).map((one) => one.output),
    edited: came.map((message, at) => message !== sent[at]),
    inputTokens: steps.map((step) => step.usage.inputTokens),
  }),
);
