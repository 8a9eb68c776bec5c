import { anthropic } from "@ai-sdk/anthropic";
import { generateText, wrapLanguageModel } from "ai";
import { secateur } from "./secateur.mjs";

const middleware = secateur({ session: "chat", window: 200_000 });
const model = wrapLanguageModel({ model: anthropic("claude-sonnet-4-5"), middleware });
await generateText({ model, prompt: "Hello.", tools: middleware.tools });
