import { setTimeout as delay } from 'node:timers/promises';
import type { EventSummary, Page } from './answers.ts';
import type { Api } from './api.ts';
import { rideOut } from './api-error.ts';

type Followed = {
  readonly q: unknown;
  /** How many of the latest events come first. */
  readonly last: number;
  readonly signal: AbortSignal;
  /** Called once these are found: each event that is captured from then on follows. */
  readonly onReady?: () => void;
};

type List = (limit: number, cursor?: string) => Promise<Page<EventSummary>>;

const everyMs = 2000;

/** Yields the latest `last` events that a filter matches, and then each new one, until the signal. */
export async function* followEvents(
  api: Api,
  { q, last, signal, onReady }: Followed,
): AsyncGenerator<EventSummary, void> {
  const list: List = (limit, cursor) => api.call('listEvents', { q, limit, cursor });
  const { items: latest } = await list(Math.max(1, last));
  onReady?.();
  yield* latest.slice(0, last).toReversed();
  let seen = maxId(latest, 0n);
  for (;;) {
    await delay(everyMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const found = await rideOut(() => listNewer(list, seen), signal);
    seen = maxId(found, seen);
    yield* found.toReversed();
  }
}

/** All events with a higher id, the newest first. */
async function listNewer(list: List, than: bigint): Promise<EventSummary[]> {
  const found: EventSummary[] = [];
  let page = await list(100);
  for (;;) {
    const newer = page.items.filter(({ id }) => BigInt(id) > than);
    found.push(...newer);
    if (newer.length < page.items.length || page.next === null) return found;
    page = await list(100, page.next);
  }
}

function maxId(events: readonly EventSummary[], least: bigint): bigint {
  return events.reduce((max, { id }) => (BigInt(id) > max ? BigInt(id) : max), least);
}
