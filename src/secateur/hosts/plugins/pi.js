// Pi extension, written by `secateur install pi`. The view goes to the model; the session file keeps every entry.
export default function (pi) {
  const bridge = openBridge(COMMAND, "pi");

  pi.on("context", async (event, ctx) => {
    const made = await bridge.ask("fit", { session: ctx.sessionManager.getSessionId(), messages: event.messages });
    return made?.messages ? { messages: made.messages } : undefined;
  });

  pi.on("session_shutdown", () => bridge.close());
}
