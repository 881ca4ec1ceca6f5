import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Refusal, Scene, Told } from './scene.ts';

/** A request that reached the target of a scene. */
export type Sent = {
  readonly told: Told;
  readonly tick: number;
  readonly isAccepted: boolean;
  readonly isLimit: boolean;
};

/** Serves the target of a scene, and notes what it is sent. `tick` is the present one. */
export async function openTarget(scene: Scene, sent: Sent[]) {
  const state = { tick: 0, url: '' };
  const window: Window = { since: 0, requests: 0 };
  const server = createServer(async (request, response) => {
    const told = await readTold(request);
    const wait = waitOf(scene, window);
    const refusal = wait > 0 ? { status: 429, wait } : refusalOf(scene, told, state.tick);
    if (scene.takesMs !== undefined) await sleep(scene.takesMs);
    sent.push({ told, tick: state.tick, isAccepted: refusal === undefined, isLimit: wait > 0 });
    answer(response, refusal);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return Object.assign(state, { close });
}

async function readTold(request: IncomingMessage): Promise<Told> {
  const told = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString());
  return { ...told, sickUntil: told.sickUntil ?? Number.POSITIVE_INFINITY };
}

function answer(response: ServerResponse, refusal: Refusal | undefined): void {
  if (refusal === undefined) response.writeHead(200).end();
  else if (refusal === 'reset') response.destroy();
  else if (refusal !== 'hang') {
    const { status, wait, body = '' } = refusal;
    response.writeHead(status, wait === undefined ? {} : { 'retry-after': `${Math.ceil(wait)}` }).end(body);
  }
}

type Window = { since: number; requests: number };

/** The seconds until a target takes more; 0 if it does now. */
function waitOf({ limit }: Scene, window: Window): number {
  if (!limit) return 0;
  const now = Date.now();
  if (now - window.since >= limit.seconds * 1000) Object.assign(window, { since: now, requests: 0 });
  if (window.requests >= limit.requests) return limit.seconds - (now - window.since) / 1000;
  window.requests += 1;
  return 0;
}

/** How the target of a scene refuses an event in a tick; undefined if it takes it. */
export function refusalOf(scene: Scene, told: Told, tick: number): Refusal | undefined {
  if (scene.isUp?.(tick, told) === false) return scene.down ?? { status: 500 };
  if (tick < told.sickUntil) return scene.sick?.(told) ?? { status: 500 };
  return undefined;
}
