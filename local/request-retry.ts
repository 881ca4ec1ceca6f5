import { request } from 'node:http';

/**
 * Posts to the function `retry`: a tick, or with the push of a worker request one more worker for its run.
 * Waits for the end of the work. Never rejects: the function logs failures. fetch would time out after 5 min.
 */
export function requestRetry(url: string, push?: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const outgoing = request(url, { method: 'POST', agent: false, headers }, (answer) => {
      answer.resume().once('close', resolve);
    });
    outgoing.once('error', () => resolve()).end(push && JSON.stringify(push));
  });
}
