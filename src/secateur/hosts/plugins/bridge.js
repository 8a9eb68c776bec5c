// Shared by the plugins: one `secateur bridge` per process of the host. Nothing here throws; where there is no bridge,
// or no answer in time, the result is undefined and the host goes on by itself.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const PROTOCOL = 1;
const TIMEOUT_MS = 20_000;

export function openBridge(command, host, { onTrouble = () => {}, onAsk = undefined, folder = undefined } = {}) {
  const waiting = new Map();
  let child;
  let next = 1;
  let hasEnded = false;
  let isLate = false; // until it answers again, nothing is asked: one that hangs delays one request

  function fail(why) {
    if (hasEnded) return;
    hasEnded = true;
    onTrouble(why);
    for (const settle of waiting.values()) settle(undefined);
    waiting.clear();
  }

  function start() {
    child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true, cwd: folder });
    child.on("error", (error) => fail(`${command[0]} cannot be started: ${error.message}`));
    child.on("exit", (code) => fail(`the bridge ended with code ${code}: run \`secateur doctor\``));
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", receive);
    send("hello", { host, protocol: PROTOCOL, answers: Boolean(onAsk) }, TIMEOUT_MS).then((answer) => {
      if (answer?.error) fail(answer.error.message);
    });
  }

  function receive(text) {
    isLate = false;
    let line;
    try {
      line = JSON.parse(text);
    } catch {
      return;
    }
    if (line.ask) {
      answer(line.ask);
      return;
    }
    const settle = waiting.get(line.id);
    waiting.delete(line.id);
    settle?.(line);
  }

  async function answer(question) {
    let made;
    try {
      made = await onAsk(question);
    } catch (error) {
      made = { error: String(error?.message ?? error) };
    }
    write({ answer: { id: question.id, ...made } });
  }

  function write(value) {
    if (child.stdin.writable) child.stdin.write(JSON.stringify(value) + "\n");
  }

  function send(method, params, timeout) {
    return new Promise((resolve) => {
      const id = next++;
      const timer = setTimeout(() => {
        waiting.delete(id);
        isLate = true;
        onTrouble(`the bridge did not answer ${method} within ${timeout / 1000} s`);
        resolve(undefined);
      }, timeout);
      if (method === "hello") timer.unref?.(); // nobody waits for that
      waiting.set(id, (line) => {
        clearTimeout(timer);
        resolve(line);
      });
      write({ id, method, params });
    });
  }

  return {
    // The result of a method; undefined if there is none.
    async ask(method, params, timeout = TIMEOUT_MS) {
      if (hasEnded || isLate) return undefined;
      try {
        if (!child) start();
        const line = await send(method, params, timeout);
        if (line?.error) onTrouble(`${method}: ${line.error.message}`);
        return line?.result;
      } catch (error) {
        fail(String(error));
        return undefined;
      }
    },
    // Whether the host's process waits for the bridge before it ends by itself.
    hold(isHeld) {
      if (hasEnded) return;
      for (const each of [child, child?.stdin, child?.stdout]) isHeld ? each?.ref?.() : each?.unref?.();
    },
    close() {
      hasEnded = true;
      child?.stdin.end();
    },
  };
}
