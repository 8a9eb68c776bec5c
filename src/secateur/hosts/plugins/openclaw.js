// OpenClaw context engine: what was before the current turn is pruned on its way to the model; OpenClaw's transcript
// keeps every message. OpenClaw hands over only that part, so requests of the running turn are not pruned; where that was
// asked for, its results are shortened as they arrive, once the store holds the original.
import { delegateCompactionToRuntime } from "openclaw/plugin-sdk/core";

const TURNS = 1_000; // that are remembered, so that a retry of one is known

export default function register(api) {
  const committed = new Set();
  let engines = 0;
  const bridge = openBridge(COMMAND, "openclaw", { onTrouble: (why) => api.logger?.warn?.(`secateur: ${why}`) });

  if (SHORTENS)
    api.registerAgentToolResultMiddleware(
      async (event, { sessionId }) => {
        const [block, ...others] = event.result?.content ?? [];
        if (!sessionId || others.length || block?.type !== "text" || !(block.text?.length >= SHORTENS)) return undefined;
        const made = await bridge.ask("shorten", {
          session: sessionId,
          call_id: event.toolCallId,
          tool: event.toolName,
          arguments: event.args,
          text: block.text,
          is_error: Boolean(event.isError),
        });
        return made?.text ? { result: { ...event.result, content: [{ ...block, text: made.text }] } } : undefined;
      },
      { runtimes: ["openclaw"] },
    );

  api.registerContextEngine("secateur", () => {
    engines += 1;
    bridge.hold(true);
    return {
      info: {
        id: "secateur",
        name: "secateur",
        ownsCompaction: false,
        transcriptSemantics: {
          currentTurnFence: "before-current-turn-entry-v1",
          turnAdvancementIdempotency: "atomic-idempotent-v1",
        },
      },

      async ingest() {
        return { ingested: false }; // the transcript is OpenClaw's
      },

      async assemble({ sessionId, messages, tokenBudget, model }) {
        const asked = { session: sessionId, model, window: tokenBudget, messages };
        const made = messages.length > 0 ? await bridge.ask("fit", asked) : undefined;
        return {
          messages: made?.messages ?? messages,
          estimatedTokens: made?.tokens_view ?? Math.ceil(JSON.stringify(messages).length / 4),
        };
      },

      // OpenClaw's own compaction: it keeps the transcript, and says so to the user. It needs all that the host hands
      // over, so that `info` names no `acceptedHostParams`.
      compact: (params) => delegateCompactionToRuntime(params),

      // Nothing is stored of a turn, so that a second commit changes nothing.
      async commitTurn({ advancementKey }) {
        if (committed.has(advancementKey)) return { status: "duplicate" };
        committed.add(advancementKey);
        if (committed.size > TURNS) committed.delete(committed.values().next().value);
        return { status: "committed" };
      },

      async dispose() {
        engines -= 1;
        if (engines === 0) bridge.hold(false);
      },
    };
  });
}
