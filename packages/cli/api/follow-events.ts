import { setTimeout as delay } from 'node:timers/promises';
import type { EventSummary, Page } from './answers.ts';
import type { Api } from './api.ts';

type Followed = { readonly q: unknown; readonly last: number; readonly signal: AbortSignal };

const everyMs = 2000;

/** The latest `last` events that a filter matches, and then each new one, until the signal. */
export async function* followEvents(
  api: Api,
  { q, last, signal }: Followed,
): AsyncGenerator<EventSummary, void> {
  const list = (limit: number, cursor?: string) =>
    api.call<Page<EventSummary>>('listEvents', { q, limit, cursor });
  const { items } = await list(Math.max(1, last));
  yield* items.slice(0, last).reverse();
  let seen = maxId(items, 0n);
  while (!signal.aborted) {
    await delay(everyMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const found: EventSummary[] = [];
    let page = await list(100);
    for (;;) {
      const isNew = page.items.filter(({ id }) => BigInt(id) > seen);
      found.push(...isNew);
      if (isNew.length < page.items.length || page.next === null) break;
      page = await list(100, page.next);
    }
    seen = maxId(found, seen);
    yield* found.reverse();
  }
}

function maxId(events: readonly EventSummary[], least: bigint): bigint {
  return events.reduce((max, { id }) => (BigInt(id) > max ? BigInt(id) : max), least);
}
