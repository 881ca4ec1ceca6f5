import type pg from 'pg';

/** The row of `inspect-table.sql`. */
export type Inspection = {
  readonly exists: boolean;
  readonly isOurs: boolean;
  readonly isBegun: boolean;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly dependants: readonly string[];
};

const text = /^(text|character varying|character)$/;
const time = /^timestamp/;
const whole = /^(smallint|integer|bigint)$/;
const json = /^jsonb?$/;

/** Columns that the table must have, then those that are moved to the column of the same name if it has them. */
const required = { id: /^(integer|bigint)$/, event_type: text, payload: json, status: text };
const known: Readonly<Record<string, RegExp>> = {
  ...required,
  error_reason: text,
  error_stacktrace: text,
  retry_count: whole,
  retry_after: time,
  next_retry_at: time,
  created_at: time,
  updated_at: time,
  processed_at: time,
  first_failure_at: time,
  last_failure_at: time,
  occurred_at: time,
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

/** Lists all reasons against an adoption, each with its remedy. Changes nothing. */
export async function findExclusions(client: pg.Client, found: Inspection): Promise<string[]> {
  const types = new Map(found.columns.map(({ name, type }) => [name, type]));
  const missing = Object.keys(required)
    .filter((name) => !types.has(name))
    .map(
      (name) =>
        `Column ${name} is missing: dlq_events is not a table of dead letters as the articles describe it.`,
    );
  const wrong = Object.entries(known)
    .filter(([name, type]) => types.has(name) && !type.test(types.get(name) ?? ''))
    .map(([name]) => `Column ${name} is of type ${types.get(name)}: rename the column or change its type.`);
  const left = found.dependants.map(
    (dependant) => `${dependant} depends on the old table: drop it, and create it again after the adoption.`,
  );
  const exclusions = [...missing, ...wrong, ...left];
  return exclusions.length > 0 ? exclusions : findOddValues(client);
}

async function findOddValues(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ exclusion: string }>(
    `select format('%s rows have the status %L: set it to one of %s.', count(*), status, $2::text) as exclusion
     from dlq_events
     where upper(status) <> all ($1)
     group by status
     union all
     select format('%s rows have no event_type: set it.', count(*)) from dlq_events where event_type is null
     having count(*) > 0`,
    [statuses, statuses.slice(0, 5).join(', ')],
  );
  return rows.map(({ exclusion }) => exclusion);
}
