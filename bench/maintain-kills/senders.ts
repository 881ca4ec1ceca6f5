import { randomUUID } from 'node:crypto';

/** Captures sent, by the answer of capture. */
export type Sent = {
  /** Of each identity, for how many captures the answer was that the event is new. */
  readonly newOnes: ReadonlyMap<string, number>;
  readonly duplicates: number;
  readonly recognised: number;
  readonly slowestMs: number;
};

const senders = 4;
const shareOfDuplicates = 0.4;

/** Reports failures to capture until stopped, many of them again: those just sent, those of long ago, archived or not. */
export function startSenders(url: string, oldEvents: number) {
  const newOnes = new Map<string, number>();
  let isStopped = false;
  let [duplicates, recognised, slowestMs] = [0, 0, 0];
  const known: string[] = Array.from({ length: oldEvents }, (_, n) => `old-${n}`);
  for (const id of known) newOnes.set(id, 1);

  const send = async (eventId: string) => {
    const startedAt = performance.now();
    const isNew = await report(url, eventId);
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    if (isNew) newOnes.set(eventId, (newOnes.get(eventId) ?? 0) + 1);
    return isNew;
  };
  const sendAgain = async () => {
    duplicates++;
    if (!(await send(pick(known)))) recognised++;
  };
  const sendNew = async () => {
    const eventId = randomUUID();
    await send(eventId);
    known.push(eventId);
  };
  const work = async () => {
    while (!isStopped) await (Math.random() < shareOfDuplicates ? sendAgain() : sendNew());
  };
  const working = Promise.all(Array.from({ length: senders }, work));
  // stop() throws the error of a failed loop.
  working.catch(() => undefined);
  const stop = async (): Promise<Sent> => {
    isStopped = true;
    await working;
    return { newOnes, duplicates, recognised, slowestMs };
  };
  return { stop };
}

/** Any of the old ones as often as one of the thousand that were sent last. */
function pick(known: readonly string[]): string {
  const from = Math.random() < 0.5 ? Math.max(0, known.length - 1000) : 0;
  return known[from + Math.floor(Math.random() * (known.length - from))] ?? '';
}

async function report(url: string, eventId: string): Promise<boolean> {
  const body = JSON.stringify({
    eventType: 'order.created',
    eventId,
    payload: {},
    error: { message: 'timeout' },
  });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  const { events } = (await response.json()) as { events?: [{ isNew: boolean }] };
  if (!events) throw new Error(`capture answered ${response.status}`);
  return events[0].isNew;
}
