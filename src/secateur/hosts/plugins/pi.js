// Pi extension: each request is pruned on its way to the model, and compactions are answered. Pi's session file keeps
// every entry.
const COMPACTION_MS = 300_000;

export default function (pi) {
  let context; // of the newest event
  let trouble = "";
  let compaction = "none yet";
  let isCompressing = false;

  const bridge = openBridge(COMMAND, "pi", {
    onAsk: (question) => askModel(question, context),
    onTrouble: (why) => {
      if (!trouble && context?.hasUI) context.ui.notify(`secateur: ${why}`, "warning");
      trouble = why;
    },
  });

  pi.on("context", async (event, ctx) => {
    context = ctx;
    const newest = ctx.sessionManager.getBranch().findLast((entry) => entry.type === "compaction");
    const made = await bridge.ask("fit", {
      session: ctx.sessionManager.getSessionId(),
      model: ctx.model?.id,
      window: ctx.model?.contextWindow,
      fixed_tokens: countFixedTokens(pi, ctx),
      layout: newest?.details?.kind === "hermes-middle" ? newest.details : null,
      messages: event.messages,
    });
    if (made?.error) trouble = made.error;
    return made?.messages ? { messages: made.messages } : undefined;
  });

  if (SHORTENS)
    pi.on("tool_result", async (event, ctx) => {
      const [block, ...others] = event.content;
      if (others.length || block?.type !== "text" || block.text.length < SHORTENS) return undefined;
      const made = await bridge.ask("shorten", {
        session: ctx.sessionManager.getSessionId(),
        call_id: event.toolCallId,
        tool: event.toolName,
        arguments: event.input,
        text: block.text,
        is_error: event.isError,
        model: ctx.model?.id,
      });
      return made?.text ? { content: [{ ...block, text: made.text }] } : undefined;
    });

  pi.on("message_end", (event, ctx) => {
    const { role, usage } = event.message;
    if (role === "assistant" && usage?.totalTokens)
      void bridge.ask("usage", { session: ctx.sessionManager.getSessionId(), usage });
  });

  pi.on("session_before_compact", async (event, ctx) => {
    context = ctx;
    const { branchEntries, customInstructions, preparation } = event;
    const { firstKeptEntryId, tokensBefore } = preparation;
    const asked = { type: event.type, branchEntries, customInstructions, preparation: { firstKeptEntryId, tokensBefore } };
    const made = await bridge.ask("event", { event: asked }, COMPACTION_MS);
    compaction = made?.status ?? `cancelled: ${trouble}`;
    if (made?.answer?.compaction) return made.answer;
    if (CANCELS || isCompressing) return { cancel: true };
    compaction = `host, since secateur did not: ${compaction}`;
    return undefined;
  });

  pi.registerCommand("acp", {
    description: "compress: summarize the history now, `/acp compress [FOCUS]`",
    handler: async (words, ctx) => {
      const [verb, ...focus] = words.trim().split(/\s+/);
      if (verb !== "compress") return show(ctx, "usage: /acp compress [FOCUS]", "warning");
      if (!ctx.isIdle()) return show(ctx, "cancelled: a run is active, compress when it has ended", "warning");
      if (ctx.hasPendingMessages())
        return show(ctx, "cancelled: messages are queued, compress when they have been sent", "warning");
      isCompressing = true;
      const failure = await new Promise((resolve) => {
        ctx.compact({
          customInstructions: focus.join(" ") || undefined,
          onComplete: () => resolve(undefined),
          onError: (error) => resolve(error),
        });
      });
      isCompressing = false;
      if (!failure) return show(ctx, `compressed: ${compaction}`);
      return show(ctx, compaction.startsWith("cancelled") ? compaction : `cancelled: ${failure.message}`, "warning");
    },
  });

  pi.registerCommand("secateur", {
    description: "status: what was saved and what left; undo: bring back what left last",
    handler: async (words, ctx) => {
      const session = ctx.sessionManager.getSessionId();
      const verb = words.trim() || "status";
      trouble = "";
      if (verb === "status") {
        const made = await bridge.ask("status", { session });
        show(ctx, `${made?.text ?? trouble}\nlast compaction: ${compaction}`, made ? "info" : "warning");
      } else if (verb === "undo") {
        const made = await bridge.ask("undo", { session });
        show(ctx, made ? `epoch ${made.epoch} is undone: ${made.tokens} tokens are back` : trouble, made ? "info" : "warning");
      } else {
        show(ctx, "usage: /secateur status, /secateur undo", "warning");
      }
    },
  });

  pi.on("session_shutdown", () => bridge.close());
}

// A summary by Pi's own model, where no other was named.
async function askModel(question, ctx) {
  if (!ctx?.model) return { error: "no model is selected" };
  const auth = await ctx.modelRegistry.getApiKeyAndHeaders(ctx.model);
  if (!auth.ok) return { error: auth.error };
  const { complete } = await import("@mariozechner/pi-ai");
  const message = { role: "user", content: [{ type: "text", text: question.text }], timestamp: Date.now() };
  const answer = await complete(
    ctx.model,
    { systemPrompt: question.system, messages: [message] },
    { apiKey: auth.apiKey, headers: auth.headers, maxTokens: question.max_tokens },
  );
  const texts = answer.content.filter((block) => block.type === "text").map((block) => block.text);
  return { text: texts.join("\n"), finish: answer.stopReason, error: answer.errorMessage ?? "", model: answer.model };
}

function countFixedTokens(pi, ctx) {
  const active = new Set(pi.getActiveTools());
  const tools = pi.getAllTools().filter((tool) => active.has(tool.name));
  const shapes = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return Math.ceil((ctx.getSystemPrompt().length + JSON.stringify(shapes).length) / 4);
}

function show(ctx, text, kind = "info") {
  if (ctx.hasUI) ctx.ui.notify(text, kind);
  else console.error(text);
}
