import type { Database } from '../../shared/database/database.ts';
import type { Route } from '../../shared/delivery/routes.ts';
import { aRouteTo } from './routes.ts';

const fingerprint = `'v1:0000000000000000'`;
/** Type, key and fingerprint of the events of a shape: `n` counts them, `$2` is the number of kinds. */
const shapes = {
  types: `'type-' || n % $2::int, null, ${fingerprint}`,
  keys: `'order.created', 'key-' || n % $2::int, ${fingerprint}`,
  'events of one key': `'order.created', 'key-' || greatest(0, n - $2::int), ${fingerprint}`,
  groups: `'order.created', null, 'v1:' || lpad(to_hex(n % $2::int), 16, '0')`,
  targets: `'type-' || n % $2::int, null, ${fingerprint}`,
  'attempts of one event': `'order.created', null, case when $2::int > 0 then ${fingerprint} end`,
} as const;

export type Shape = keyof typeof shapes;

/** The shapes of data that statements, pages and benchmarks are tried with. */
export const shapeNames = Object.keys(shapes) as Shape[];

/** Events of one statement: one with a million would take longer than its timeout. */
const part = 20_000;

/**
 * Stores due events of a shape. Events of one key are captured before the others, which have a key each;
 * attempts are those of the first event.
 */
export async function fillShape(
  { query }: Pick<Database, 'query'>,
  shape: Shape,
  { size, events }: { readonly size: number; readonly events: number },
): Promise<void> {
  for (let from = 0; from < events; from += part)
    await query({
      text: `insert into dlq_events
           (event_type, source_key, fingerprint, payload, body, error_reason, consumer_group, retry_after, id_hashes)
         select ${shapes[shape]}, jsonb_build_object('n', n), convert_to(n::text, 'UTF8'), 'timeout', 'billing',
           now() - interval '1 hour', ${/key/.test(shape) ? 'null' : "''"} from generate_series($1::int, $3::int) n`,
      values: [from, size, Math.min(from + part, events) - 1],
    });
  if (shape === 'attempts of one event')
    await query({
      text: `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms)
        select (select min(id) from dlq_events), n, 'transient', 'http://shop/', now(), 1
        from generate_series(1, $1::int) n`,
      values: [size],
    });
}

/** The routes of a shape: the order of keys where it has keys, and a target for each type of `targets`. */
export function routesOf(shape: Shape, size: number, url: string): Route[] {
  if (shape !== 'targets') return [aRouteTo(url, { ordered: /key/.test(shape) })];
  return Array.from({ length: size }, (_, n) =>
    aRouteTo(`${url}/${n}`, { match: { eventType: `type-${n}` } }),
  );
}
