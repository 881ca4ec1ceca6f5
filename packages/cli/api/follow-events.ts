import { setTimeout as delay } from 'node:timers/promises';
import type { EventSummary, Page } from './answers.ts';
import type { Api } from './api.ts';

type Followed = { readonly q: unknown; readonly last: number; readonly signal: AbortSignal };

const everyMs = 2000;

/**
 * Finds the latest `last` events that a filter matches. Returns them, and then each new one, until the signal.
 */
export async function followEvents(
  api: Api,
  { q, last, signal }: Followed,
): Promise<AsyncGenerator<EventSummary, void>> {
  const list = (limit: number, cursor?: string) =>
    api.call<Page<EventSummary>>('listEvents', { q, limit, cursor });
  const { items } = await list(Math.max(1, last));
  return follow(items, { list, last, signal });
}

type List = (limit: number, cursor?: string) => Promise<Page<EventSummary>>;

async function* follow(
  latest: readonly EventSummary[],
  { list, last, signal }: Omit<Followed, 'q'> & { readonly list: List },
): AsyncGenerator<EventSummary, void> {
  yield* latest.slice(0, last).reverse();
  let seen = maxId(latest, 0n);
  while (!signal.aborted) {
    await delay(everyMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const found = await listNewer(list, seen);
    seen = maxId(found, seen);
    yield* found.reverse();
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
