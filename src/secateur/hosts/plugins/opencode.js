// opencode plugin: each request is pruned on its way to the model; opencode's database keeps every part.
export const Secateur = async () => {
  const windows = new Map(); // of a session's model, in tokens
  const seen = new Map(); // the messages of a session's newest request, as opencode holds them
  const counted = new Set(); // answers whose usage was reported
  const bridge = openBridge(COMMAND, HOST);

  return {
    // Two that prune the same results would break each other's prompt cache.
    config: async (config) => {
      config.compaction = { ...config.compaction, prune: false };
    },

    "chat.params": async (input) => {
      const window = input.model?.limit?.context;
      if (input.sessionID && window) windows.set(input.sessionID, window);
    },

    "experimental.chat.messages.transform": async (_, output) => {
      const session = output.messages[0]?.info?.sessionID;
      if (!session) return;
      const newest = output.messages.findLast((message) => message.info.modelID ?? message.info.model?.modelID);
      const messages = [...output.messages];
      const made = await bridge.ask("fit", {
        session,
        model: newest?.info.modelID ?? newest?.info.model?.modelID,
        window: windows.get(session),
        messages,
      });
      seen.clear();
      seen.set(session, messages);
      if (made?.messages) output.messages.splice(0, output.messages.length, ...made.messages);
    },

    "experimental.session.compacting": async (input, output) => {
      const messages = seen.get(input.sessionID);
      const made = messages && (await bridge.ask("prompt", { session: input.sessionID, messages }));
      if (made?.text) output.prompt = [made.text, ...output.context].join("\n\n");
    },

    event: async ({ event }) => {
      const info = event.type === "message.updated" ? event.properties?.info : undefined;
      if (info?.role !== "assistant" || !info.time?.completed || !info.tokens || counted.has(info.id)) return;
      counted.add(info.id);
      if (!info.summary) await bridge.ask("usage", { session: info.sessionID, usage: { tokens: info.tokens } });
    },
  };
};
