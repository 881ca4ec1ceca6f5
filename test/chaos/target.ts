import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { behaviors, chooseBehavior, ok } from './behaviors.ts';
import { openDice } from './dice.ts';
import type { Delivery, Ledger } from './ledger.ts';

export type Target = {
  readonly url: string;
  /** Whether it answers everything with 200. */
  isCalm: boolean;
  /** Whether it refuses connections. */
  refuse(ms: number): Promise<number>;
  /** The deliveries of an instance that have not ended. */
  inFlight(worker: string): Delivery[];
  close(): void;
};

/** A real HTTP server that records what it is sent, and fails as its dice say. */
export async function openTarget(ledger: Ledger, seed: number): Promise<Target> {
  const open = new Set<Delivery>();
  const counts = new Map<string, number>();
  let lastId = 0;
  let refused = 0;
  let isRefusing = false;
  const server = createServer(async (request, response) => {
    const arrivedAt = Date.now();
    const chunks = await request.toArray().catch(() => undefined);
    // The worker ended while it sent.
    if (!chunks) return;
    const body = Buffer.concat(chunks);
    const [row = ''] = String(request.headers['dlo-event-id']).split('.');
    const count = (counts.get(row) ?? 0) + 1;
    counts.set(row, count);
    const dice = openDice(seed, `delivery ${row} ${count}`);
    const behavior = target.isCalm ? 'ok' : chooseBehavior(dice);
    const { accepts, isAmbiguous, answer } = behaviors[behavior] ?? ok;
    const delivery: Delivery = {
      id: `delivery-${++lastId}`,
      row,
      digest: createHash('sha256').update(body).digest('hex'),
      worker: String(request.headers['x-worker']),
      arrivedAt,
      behavior,
      acceptedAt: accepts ? arrivedAt : undefined,
      endedAt: undefined,
      fault: isAmbiguous ? behavior : undefined,
    };
    ledger.deliveries.push(delivery);
    open.add(delivery);
    response.once('close', () => {
      open.delete(delivery);
      delivery.endedAt = Date.now();
      // It had gone before the answer was written.
      if (accepts && !response.writableFinished) delivery.fault ??= 'the worker left before the answer';
      if (behavior === 'ok') return;
      const { worker, row } = delivery;
      const reached =
        accepts || behavior !== 'the target never answers' || delivery.endedAt - arrivedAt > 1000;
      ledger.faults.push({
        kind: behavior,
        at: arrivedAt,
        until: delivery.endedAt,
        effect: reached ? `row ${row} of ${worker}` : undefined,
        workers: [],
        rows: [row],
      });
    });
    await answer({ delivery, response, dice });
  });
  server.on('connection', (socket) => {
    if (!isRefusing) return;
    refused += 1;
    socket.resetAndDestroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const target: Target = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isCalm: false,
    async refuse(ms) {
      const before = refused;
      isRefusing = true;
      server.closeIdleConnections();
      await new Promise((resolve) => setTimeout(resolve, ms));
      isRefusing = false;
      return refused - before;
    },
    inFlight: (worker) => [...open].filter((delivery) => delivery.worker === worker),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return target;
}
