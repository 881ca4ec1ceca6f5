import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '../../support/free-port.ts';
import { startProgram, waitFor } from './start-program.ts';

const start = `${import.meta.dirname}/../../../local/start.ts`;

/** Starts the product as `npm start` does, without demo and schedule, and returns its address. */
export async function startProduct(databaseUrl: string, routes: readonly object[]): Promise<string> {
  const port = await findFreePort();
  const env = {
    DATABASE_URL: databaseUrl,
    PORT: `${port}`,
    DEMO: 'off',
    RETRY_EVERY_SECONDS: '0',
    ROUTES: JSON.stringify(routes),
  };
  const program = startProgram([process.execPath, start], { env });
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.ok ?? false;
  await waitFor('the product answered', isReady, { program });
  return url;
}

/** Replays all open events, and returns the number of deliveries and failures. */
export async function replayAll(url: string): Promise<{ delivered: number; failed: number }> {
  const run = await call(`${url}/replay/runs`, {
    filter: { capturedAfter: '2000-01-01' },
    pace: 'ungated',
    reason: 'the consumer is repaired',
  });
  for (;;) {
    const response = await fetch(`${url}/replay/runs/${run.id}`);
    const { state, progress } = (await response.json()) as Replay;
    if (state === 'ended') return progress;
    await pause(200);
  }
}

type Replay = {
  readonly state: string;
  readonly progress: { readonly delivered: number; readonly failed: number };
};

// biome-ignore lint/suspicious/noExplicitAny: see below
async function call(url: string, body: object): Promise<any> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}
