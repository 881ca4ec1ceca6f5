import type { Database } from '../../shared/database/database.ts';

/** Stores events that have been due for an hour. The body is their number, and `keys` ordering keys alternate. */
export async function fillEvents(
  { query }: Database,
  count: number,
  { keys = 0, eventType = 'order.created' }: { readonly keys?: number; readonly eventType?: string } = {},
): Promise<void> {
  await query({
    text: `insert into dlq_events (event_type, payload, body, error_reason, source_key, retry_after)
      select $2, jsonb_build_object('n', n), convert_to(n::text, 'UTF8'), 'timeout',
        case when $3::int > 0 then 'key-' || n % $3 end, now() - interval '1 hour'
      from generate_series(0, $1::int - 1) n`,
    values: [count, eventType, keys],
  });
  await query({ text: 'analyze dlq_events' });
}
