// Shared by the plugins: one `secateur bridge` per process of the host. Nothing here throws; without a bridge, asking
// gives undefined and the host goes on by itself.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const PROTOCOL = 1;
const TIMEOUT_MS = 30_000;

export function openBridge(command, host, onTrouble = () => {}) {
  const waiting = new Map();
  let child;
  let next = 1;
  let isBroken = false;

  function fail(why) {
    if (isBroken) return;
    isBroken = true;
    onTrouble(why);
    for (const settle of waiting.values()) settle(undefined);
    waiting.clear();
  }

  function start() {
    child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
    child.on("error", (error) => fail(`${command[0]} cannot be started: ${error.message}`));
    child.on("exit", (code) => fail(`the bridge ended (${code})`));
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", (line) => {
      let answer;
      try {
        answer = JSON.parse(line);
      } catch {
        return;
      }
      const settle = waiting.get(answer.id);
      waiting.delete(answer.id);
      settle?.(answer);
    });
    send("hello", { host, protocol: PROTOCOL }, TIMEOUT_MS).then((answer) => {
      if (answer?.error) fail(answer.error.message);
    });
  }

  function send(method, params, timeout) {
    return new Promise((resolve) => {
      const id = next++;
      const timer = setTimeout(() => {
        waiting.delete(id);
        onTrouble(`the bridge did not answer ${method} within ${timeout / 1000} s`);
        resolve(undefined);
      }, timeout);
      waiting.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      child.stdin.write(JSON.stringify({ id, method, params }) + "\n");
    });
  }

  return {
    // The result of a method; undefined if there is none.
    async ask(method, params, timeout = TIMEOUT_MS) {
      if (isBroken) return undefined;
      try {
        if (!child) start();
        const answer = await send(method, params, timeout);
        if (answer?.error) onTrouble(`${method}: ${answer.error.message}`);
        return answer?.result;
      } catch (error) {
        fail(String(error));
        return undefined;
      }
    },
    close() {
      isBroken = true;
      child?.stdin.end();
    },
  };
}
