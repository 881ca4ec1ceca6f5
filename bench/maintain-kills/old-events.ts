import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../shared/database/database.ts';

/** Delivered events of the three months before the last, with the identities `old-0`, `old-1`, ... of reports. */
export async function fillOldEvents({ query }: Database, count: number): Promise<void> {
  await query({
    text: `insert into dlq_events (event_key, event_id, event_type, payload, error_reason, status, fingerprint,
        created_at, first_failure_at, last_failure_at, processed_at)
      select 'id:old-' || n, 'old-' || n, 'order.created', '{}', 'timeout', 'SUCCEEDED', 'v1:old', at, at, at, at
      from generate_series(0, $1::int - 1) n, lateral (select now() - interval '32 days' - n * interval '90 days' / $1 as at) as t`,
    values: [count],
  });
  await query({ text: 'vacuum analyze dlq_events' });
}

/** Makes delivered events forty days older, some at a time until stopped: then they are old enough for the archive. */
export function ageEvents(db: Database) {
  let isStopped = false;
  const work = async () => {
    while (!isStopped) {
      await ageSome(db);
      await pause(100);
    }
  };
  const working = work();
  // stop() throws the error of a failed loop.
  working.catch(() => undefined);
  const stop = async () => {
    isStopped = true;
    await working;
  };
  return { stop };
}

async function ageSome({ query }: Database): Promise<void> {
  await query({
    text: `update dlq_events
      set created_at = created_at - interval '40 days', first_failure_at = first_failure_at - interval '40 days',
        last_failure_at = last_failure_at - interval '40 days', processed_at = processed_at - interval '40 days'
      where id = any (array(
        select id from dlq_events where status = 'SUCCEEDED' and last_failure_at > now() - interval '1 day' limit 200 for update skip locked
      ))`,
  });
}
