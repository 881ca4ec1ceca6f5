import pg from 'pg';
import { facts } from './facts.ts';
import { findColumn, readFacts, readMessage, type Source } from './read-facts.ts';
import { fit, listUnfit, strictFacts } from './unfit-values.ts';
import { readWords } from './words.ts';

/** A column of the target with the SQL expression that fills it; it may name `old`, `fact` and `state`. */
type Filled = Readonly<Record<string, string>>;

export type Insert = Source & {
  readonly from: string;
  readonly into: string;
  readonly eventKey: string;
  /** Further columns of the target. */
  readonly more: Filled;
  /** Columns of the target that are computed from the others. */
  readonly computed: Filled;
  /** JSON of the row that is kept in the metadata. */
  readonly rest?: string;
  /** The text after FROM; the row is `old`. */
  readonly where: string;
};

/** Facts that have no value of their own in dlq_events when they are missing. */
const optional = [
  'error_stacktrace error_class event_id source_topic source_partition source_offset source_key consumer_group',
  'source_subscription content_type occurred_at',
].flatMap((names) => names.split(' '));

/** Columns of the target, each with an expression that no row of the source can make invalid. */
function fillColumns(insert: Insert): Filled {
  const message = readMessage(insert);
  return {
    event_type: `coalesce(${fit('event_type', 'fact.event_type')}, 'unknown')`,
    payload: `coalesce(fact.payload, 'null')`,
    payload_encoding: message.encoding,
    body: message.body,
    error_reason: `coalesce(fact.error_reason, 'not reported')`,
    ...Object.fromEntries(optional.map((name) => [name, fit(name, `fact.${name}`)])),
    created_at: 'state.created_at',
    status: 'state.status',
    retry_count: `coalesce(${fit('retry_count', 'fact.retry_count')}, 0)`,
    retry_after: `coalesce(fact.retry_after, now())`,
    updated_at: 'coalesce(fact.updated_at, state.created_at)',
    processed_at: `case when state.status in ('SUCCEEDED', 'FAILED_PERMANENTLY', 'DISCARDED')
      then coalesce(fact.processed_at, fact.updated_at, now()) end`,
    first_failure_at: 'coalesce(fact.first_failure_at, state.created_at)',
    last_failure_at: 'greatest(fact.first_failure_at, fact.last_failure_at, state.created_at)',
    failure_count: `coalesce(${fit('failure_count', 'fact.failure_count')}, 1)`,
    failure_kind: fit('failure_kind', 'fact.failure_kind'),
    priority: 'coalesce(fact.priority, 0)',
    max_retries: fit('max_retries', 'fact.max_retries'),
    source_attempts: fit('source_attempts', 'fact.source_attempts'),
    source_kind: `coalesce(fact.source_kind, 'sql')`,
    trace_id: fit('trace_id', `coalesce(fact.trace_id, fact.metadata ->> 'trace_id')`),
    headers: `coalesce(${fit('headers', 'fact.headers')}, '{}')`,
    metadata: fillMetadata(listOriginals(insert), insert.rest),
    event_key: insert.eventKey,
    ...insert.more,
  };
}

/** The values that dlq_events rejects. A fact has no priority that is out of its range. */
function listOriginals(insert: Insert): string {
  const priority = findColumn(insert, 'priority');
  const values = strictFacts
    .filter((fact) => findColumn(insert, fact) !== undefined)
    .map((fact) => [
      fact,
      fact === 'priority' ? `old.${pg.escapeIdentifier(priority?.name ?? fact)}` : `fact.${fact}`,
    ]);
  return listUnfit(Object.fromEntries(values));
}

/**
 * Keeps a word that stands for no status, values that dlq_events rejects, and the rest of an imported row. Metadata of any form
 * stays as it is.
 */
function fillMetadata(originals: string, rest = `'{}'::jsonb`): string {
  return `case
      when state.word is null and ${originals} = '{}' and ${rest} = '{}' then fact.metadata
      else case
          when jsonb_typeof(fact.metadata) = 'object' then fact.metadata
          else jsonb_strip_nulls(jsonb_build_object('metadata', fact.metadata))
        end
        || case when state.word is null then '{}' else jsonb_build_object('status', state.word) end
        || case when ${originals} = '{}' then '{}' else jsonb_build_object('original', ${originals}) end
        || case when ${rest} = '{}' then '{}' else jsonb_build_object('imported', ${rest}) end
    end`;
}

/** Composes the statement that inserts rows of a source, and the list of the columns that it fills. */
export function composeInsert(insert: Insert): {
  readonly statement: string;
  readonly columns: readonly string[];
} {
  const filled = fillColumns(insert);
  const columns = [...Object.keys(filled), ...Object.keys(insert.computed)];
  const words = `${pg.escapeLiteral(JSON.stringify(readWords(insert.mapping.status)))}::jsonb`;
  const status = `${words} ->> lower(fact.status)`;
  const rows = `
    select ${Object.entries(filled)
      .map(([name, expression]) => `${expression} as ${pg.escapeIdentifier(name)}`)
      .join(',\n')}
    from ${insert.from} as old
    cross join lateral (select ${readFacts(insert)}) as fact
    cross join lateral (
      select coalesce(${status}, 'PENDING') as status,
        -- A word that stands for no status is kept: an operator decides.
        case when ${status} is null then fact.status end as word,
        coalesce(fact.created_at, fact.first_failure_at, now()) as created_at
    ) as state
    ${insert.where}`;
  const list = columns.map(pg.escapeIdentifier).join(', ');
  const values = [...Object.keys(filled).map(pg.escapeIdentifier), ...Object.values(insert.computed)].join(
    ', ',
  );
  return {
    statement: `insert into ${insert.into} (${list}) select ${values} from (${rows}) as event`,
    columns,
  };
}

/** Whether dlq_events has a column of that name which a source may fill. */
export function isFact(name: string): boolean {
  return name in facts;
}
