// The statements of the hot path, written once for all layouts.
import type { Layout } from './layouts.ts';

const FACTS = `event_type text, payload jsonb, error_stacktrace text, event_key text, event_id text, body text, payload_encoding text,
  content_type text, headers jsonb, source_kind text, source_topic text, source_partition int, source_offset bigint, source_key text,
  source_subscription text, consumer_group text, source_attempts int, trace_id text, metadata jsonb, occurred_at timestamptz,
  first_failure_at timestamptz`;
const STATES =
  'error_reason text, retry_after timestamptz, last_failure_at timestamptz, error_class text, failure_kind text, fingerprint text';

const names = (columns: string) => columns.split(',').map((column) => column.trim().split(' ')[0] as string);
const values = (columns: string) =>
  names(columns).map((name) => (name === 'body' ? `decode(body, 'base64')` : name));

/** $1: the events as one JSON array, bodies in base64. */
export function capture(layout: Layout): string {
  const lane = layout.laneGiven ? ', lane bigint' : '';
  if (layout.split) return captureInTwo(STATES + lane);
  const columns = `${FACTS}, ${STATES}${lane}${layout.conflict === 'event_hash' ? ', event_hash uuid' : ''}`;
  return `INSERT INTO dlq_events (${names(columns)}) SELECT ${values(columns)} FROM jsonb_to_recordset($1::jsonb) AS r(${columns})
    ON CONFLICT (${layout.conflict}) DO UPDATE
      SET failure_count = dlq_events.failure_count + 1, last_failure_at = excluded.last_failure_at
    RETURNING id`;
}

const captureInTwo = (states: string) => `
  WITH incoming AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${FACTS}, ${states})),
  fresh AS (
    INSERT INTO dlq_facts (${names(FACTS)}) SELECT ${values(FACTS)} FROM incoming
    ON CONFLICT (event_key) DO NOTHING RETURNING id, event_key),
  opened AS (INSERT INTO dlq_states (id, ${names(states)}) SELECT id, ${names(states)} FROM fresh JOIN incoming USING (event_key)),
  again AS (
    UPDATE dlq_states SET failure_count = failure_count + 1, last_failure_at = known.last_failure_at
    FROM (SELECT f.id, incoming.last_failure_at FROM incoming JOIN dlq_facts f USING (event_key)) known
    WHERE dlq_states.id = known.id RETURNING dlq_states.id)
  SELECT id FROM fresh UNION ALL SELECT id FROM again`;

const DUE_ORDER = (table: string) => `
  SELECT id FROM ${table} WHERE status = 'PENDING' AND retry_after <= now() ORDER BY retry_after LIMIT $1 FOR UPDATE SKIP LOCKED`;

/** Walks the distinct lanes of the index, then takes an equal share of each. */
const FAIR_SHARE = (table: string) => `
  WITH RECURSIVE lanes (lane) AS (
    (SELECT lane FROM ${table} WHERE is_open ORDER BY lane LIMIT 1)
    UNION ALL
    SELECT (SELECT t.lane FROM ${table} t WHERE is_open AND t.lane > lanes.lane ORDER BY t.lane LIMIT 1) FROM lanes WHERE lane IS NOT NULL)
  SELECT due.id FROM lanes CROSS JOIN LATERAL (
    SELECT id FROM ${table} t
    WHERE is_open AND t.lane = lanes.lane AND retry_after <= now() AND (lease_expires_at IS NULL OR lease_expires_at < now())
    ORDER BY priority, retry_after LIMIT ceil($1::int / (SELECT count(lane)::float FROM lanes))::bigint FOR UPDATE SKIP LOCKED) due
  LIMIT $1`;

/** $1: how many, $2: the lease token. */
export function claim(layout: Layout): string {
  const table = layout.stateTable;
  return `UPDATE ${table} e SET status = 'PROCESSING', lease_token = $2, lease_expires_at = now() + interval '5 minutes', updated_at = now()
    ${layout.split ? 'FROM dlq_facts f' : ''}
    WHERE e.id = ANY (ARRAY(${layout.byLane ? FAIR_SHARE(table) : DUE_ORDER(table)})) ${layout.split ? 'AND f.id = e.id' : ''}
    RETURNING e.id, body, headers, event_type`;
}

export const outcomes = {
  jsonb_to_recordset:
    'jsonb_to_recordset($1::jsonb) AS s(id bigint, lease_token uuid, status text, retry_after timestamptz, error_reason text)',
  json_to_recordset:
    'json_to_recordset($1::json) AS s(id bigint, lease_token uuid, status text, retry_after timestamptz, error_reason text)',
  'unnest of 5 arrays':
    'unnest($1::bigint[], $2::uuid[], $3::text[], $4::timestamptz[], $5::text[]) AS s(id, lease_token, status, retry_after, error_reason)',
};

/** $1: the outcomes, each with its lease token. One token as a parameter of its own looks so selective to the planner that it may scan
 *  the table and loop over the outcomes, quadratically. */
export function settle(layout: Layout, withAttempts: boolean, from = outcomes.jsonb_to_recordset): string {
  const update = `UPDATE ${layout.stateTable} e
    SET status = s.status, retry_count = e.retry_count + 1, retry_after = coalesce(s.retry_after, e.retry_after),
      error_reason = coalesce(s.error_reason, e.error_reason), updated_at = now(), lease_token = NULL, lease_expires_at = NULL,
      processed_at = CASE WHEN s.status = 'SUCCEEDED' THEN now() END
    FROM ${from} WHERE e.id = s.id AND e.lease_token = s.lease_token`;
  if (!withAttempts) return update;
  return `WITH settled AS (${update} RETURNING e.id, e.retry_count, s.status, s.error_reason)
    INSERT INTO dlq_attempts SELECT id, retry_count, status, now() - interval '80 ms', now(), 200, error_reason FROM settled`;
}

const single = `${FACTS}, ${STATES}`;
export const captureColumns = {
  names: names(single),
  definitions: single.split(',').map((column) => column.trim()),
};
