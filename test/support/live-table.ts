import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** The observations of the clients of a table while they used it. */
export type Seen = {
  /** Inserts that were acknowledged, by the key that their payload has. */
  readonly inserted: string[];
  /** Ids of events whose claim or settlement was acknowledged, with the latest status. */
  readonly states: Map<string, string>;
  readonly errors: string[];
  /** Reads that found fewer rows than were acknowledged before they began. */
  readonly lowCounts: string[];
  readonly statements: Statement[];
};

/** A statement of a client, with the time at its end. */
export type Statement = { readonly role: string; readonly ms: number; readonly endedAt: number };

export type LiveTable = { readonly seen: Seen; readonly stop: () => Promise<Seen> };

/** Columns and values of an insert; `$1` is the payload. */
const insertOfTheArticles = `insert into dlq_events (event_type, payload, error_reason, error_stacktrace, status, retry_after)
  values ('order.created', $1, 'timeout', 'at Client.get', 'PENDING', now()) returning id`;

const countOfKeys = `select count(*)::int as rows from dlq_events where payload::jsonb ? 'key'`;

const claim = `with due as (
    select id from dlq_events where status = 'PENDING' and retry_after <= now() order by retry_after limit 50
    for update skip locked)
  update dlq_events set status = 'PROCESSING', updated_at = now() where id in (select id from due) returning *`;

const succeed = `update dlq_events set status = 'SUCCEEDED', updated_at = now() where id = $1 returning id`;
const fail = `update dlq_events set status = 'PENDING', retry_count = retry_count + 1, error_reason = 'again',
    retry_after = now() + interval '1 minute' * power(2, retry_count), updated_at = now()
  where id = $1 returning id`;

/**
 * Uses a table as the articles do, with three writers, a worker that claims and settles, and a reader that counts, until `stop`.
 * The worker waits for a moment between claim and settlement, as for a network.
 */
export async function useTable(
  url: string,
  { insert = insertOfTheArticles, count = countOfKeys } = {},
): Promise<LiveTable> {
  const seen: Seen = {
    inserted: [],
    states: new Map(),
    errors: [],
    lowCounts: [],
    statements: [],
  };
  let isOver = false;
  const use = async (role: string, work: (query: Query) => Promise<void>) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const query: Query = async (text, values = []) => {
      const began = performance.now();
      try {
        return (await client.query(text, values)).rows;
      } catch (error) {
        seen.errors.push(`${(error as Error).message}: ${text.slice(0, 60)}`);
        return undefined;
      } finally {
        seen.statements.push({ role, ms: performance.now() - began, endedAt: Date.now() });
      }
    };
    while (!isOver) await work(query);
    await client.end();
  };
  const writers = ['a', 'b', 'c'].map((writer) => {
    let n = 0;
    return use(`writer ${writer}`, async (query) => {
      const key = `${writer}${n++}`;
      if (await query(insert, [JSON.stringify({ key })])) seen.inserted.push(key);
      await pause(10);
    });
  });
  const worker = use('worker', async (query) => {
    const claimed = (await query(claim)) ?? [];
    for (const { id } of claimed) seen.states.set(`${id}`, 'PROCESSING');
    await pause(30);
    for (const { id } of claimed.slice(0, 20)) await settle(query, Number(id), seen);
  });
  const reader = use('reader', async (query) => {
    const least = seen.inserted.length;
    const rows = await query(count);
    const found = Number(rows?.[0]?.rows ?? least);
    if (found < least) seen.lowCounts.push(`${found} of ${least}`);
    await pause(20);
  });
  const all = Promise.all([...writers, worker, reader]);
  return {
    seen,
    stop: async () => {
      isOver = true;
      await all;
      return seen;
    },
  };
}

async function settle(query: Query, id: number, seen: Seen): Promise<void> {
  const isSuccess = id % 2 === 0;
  const rows = await query(isSuccess ? succeed : fail, [id]);
  if (rows?.length === 0) seen.errors.push(`The settlement of ${id} had no effect.`);
  if (rows) seen.states.set(`${id}`, isSuccess ? 'SUCCEEDED' : 'PENDING');
}

type Query = (text: string, values?: unknown[]) => Promise<Record<string, unknown>[] | undefined>;
