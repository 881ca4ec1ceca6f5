import type pg from 'pg';

/** What `inspect-table.sql` returns. */
export type Inspection = {
  readonly exists: boolean;
  readonly isOurs: boolean;
  readonly isBegun: boolean;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly dependants: readonly string[];
};

const text = /^(text|character varying|character)$/;
const moment = /^timestamp/;
const whole = /^(smallint|integer|bigint)$/;
const json = /^jsonb?$/;

/** Those of the articles come first and have to be there; the others are taken over if they are. */
const required = { id: /^(integer|bigint)$/, event_type: text, payload: json, status: text };
const known: Readonly<Record<string, RegExp>> = {
  ...required,
  error_reason: text,
  error_stacktrace: text,
  retry_count: whole,
  retry_after: moment,
  next_retry_at: moment,
  created_at: moment,
  updated_at: moment,
  processed_at: moment,
  first_failure_at: moment,
  last_failure_at: moment,
  occurred_at: moment,
  failure_count: whole,
  priority: /^smallint$/,
  max_retries: whole,
  event_id: /^(text|character varying|uuid)$/,
  source_kind: text,
  source_topic: text,
  source_partition: whole,
  source_offset: whole,
  source_key: text,
  consumer_group: text,
  trace_id: text,
  error_class: text,
  metadata: json,
};

const statuses = [
  'PENDING',
  'PROCESSING',
  'SUCCEEDED',
  'FAILED_PERMANENTLY',
  'DISCARDED',
  'RETRYING',
  'PERMANENT_FAILED',
];

/** Everything that stands in the way of an adoption, each with what to do about it. Changes nothing. */
export async function findObstacles(client: pg.Client, found: Inspection): Promise<string[]> {
  const types = new Map(found.columns.map(({ name, type }) => [name, type]));
  const missing = Object.keys(required)
    .filter((name) => !types.has(name))
    .map(
      (name) => `Column ${name} is missing: this is not a table of dead letters as the articles describe it.`,
    );
  const wrong = Object.entries(known)
    .filter(([name, type]) => types.has(name) && !type.test(types.get(name) ?? ''))
    .map(([name]) => `Column ${name} is of type ${types.get(name)}: rename it, or change its type.`);
  const left = found.dependants.map(
    (dependant) => `${dependant} would stay with the old table: drop it, and make it anew afterwards.`,
  );
  const obstacles = [...missing, ...wrong, ...left];
  return obstacles.length > 0 ? obstacles : findOddValues(client);
}

async function findOddValues(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ obstacle: string }>(
    `select format('%s rows have the status %L: set it to one of %s.', count(*), status, $2::text) as obstacle
     from dlq_events
     where upper(status) <> all ($1)
     group by status
     union all
     select format('%s rows have no event_type: give them one.', count(*)) from dlq_events where event_type is null
     having count(*) > 0`,
    [statuses, statuses.slice(0, 5).join(', ')],
  );
  return rows.map(({ obstacle }) => obstacle);
}
