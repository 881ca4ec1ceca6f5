import { request } from 'node:http';

/** The second tick extends the first one to what is due by then, and takes over from one that hangs. */
const maxTicks = 2;

/** Calls `tick` every `everySeconds` (0: never), as Cloud Scheduler does, but at most two at once. */
export function startSchedule(everySeconds: number, tick: () => Promise<void>): () => void {
  if (everySeconds === 0) return () => {};
  let running = 0;
  const timer = setInterval(() => {
    if (running === maxTicks) return;
    running += 1;
    const end = () => {
      running -= 1;
    };
    tick().then(end, end);
  }, everySeconds * 1000);
  return () => clearInterval(timer);
}

/** Posts a tick, and waits for its end: fetch would time out after 5 min. The function logs failures. */
export function requestRetry(url: string): Promise<void> {
  return new Promise((resolve) => {
    const outgoing = request(url, { method: 'POST', agent: false }, (answer) => {
      answer.resume().once('close', resolve);
    });
    outgoing.once('error', () => resolve()).end();
  });
}
