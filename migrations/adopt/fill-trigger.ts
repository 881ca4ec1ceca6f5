import pg from 'pg';
import { facts } from './facts.ts';
import { findNullable } from './read-contents.ts';
import { findColumn, readFacts, readMessage, type Source } from './read-facts.ts';
import { fit, isUnfit, listUnfit, strictFacts } from './unfit-values.ts';
import { readWords, statuses } from './words.ts';

const defaults: Readonly<Record<string, string>> = {
  event_type: `'unknown'`,
  payload: `'null'::jsonb`,
  error_reason: `'not reported'`,
  status: `'PENDING'`,
  retry_count: '0',
  retry_after: 'now()',
  created_at: 'now()',
  updated_at: 'now()',
  headers: `'{}'`,
  failure_count: '1',
  priority: '0',
  source_kind: `'sql'`,
  first_failure_at: 'new.created_at',
  last_failure_at: 'greatest(new.first_failure_at, new.created_at)',
};

/**
 * Composes a trigger that accepts what the table of the consumers accepted: nulls, any word for a status, columns of other names,
 * and values that dlq_events rejects, which it keeps in the metadata. The product's own rows cost it a comparison of few columns.
 */
export function composeFillTrigger(source: Source): string {
  const nullable = findNullable(source);
  const strict = strictFacts.filter((fact) => fact !== 'priority' && findColumn(source, fact) !== undefined);
  const renamed = Object.keys(facts)
    .map((fact) => ({ fact, column: findColumn(source, fact)?.name }))
    .filter(({ fact, column }) => column !== undefined && column !== fact);
  const words = pg.escapeLiteral(JSON.stringify(readWords(source.mapping.status)));
  const isForeignWord = `new.status <> all (${pg.escapeLiteral(`{${statuses.join(',')}}`)})`;
  const conditions = [
    isForeignWord,
    ...nullable.map((fact) => `new.${fact} is null`),
    ...strict.map((fact) => isUnfit(fact, `new.${fact}`)),
    ...(hasOrder(source) ? ['new.last_failure_at < new.first_failure_at'] : []),
  ];
  const lines = [
    ...renamed.map(({ fact, column = '' }) => composeCopy(source, fact, column)),
    ...Object.entries(defaults)
      .filter(([fact]) => nullable.includes(fact))
      .map(([fact, value]) => `new.${fact} := coalesce(new.${fact}, ${value});`),
    `original := ${listUnfit(Object.fromEntries(strict.map((fact) => [fact, `new.${fact}`])))};`,
    ...strict.map((fact) => `new.${fact} := ${fit(fact, `new.${fact}`)};`),
    ...(hasOrder(source)
      ? ['new.last_failure_at := greatest(new.first_failure_at, new.last_failure_at);']
      : []),
  ];
  return `
create function public.dlq_complete_adopted() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $fill$
declare
  original jsonb;
  known text;
begin
  ${lines.join('\n  ')}
  if original <> '{}' then
    original := jsonb_build_object('original', original);
  end if;
  if ${isForeignWord} then
    known := ${words}::jsonb ->> lower(new.status);
    if known is null then
      original := original || jsonb_build_object('status', new.status);
    end if;
    new.status := coalesce(known, 'PENDING');
  end if;
  if original <> '{}' then
    new.metadata := case
      when new.metadata is null or jsonb_typeof(new.metadata) = 'object' then coalesce(new.metadata, '{}')
      else jsonb_build_object('metadata', new.metadata)
    end || original;
  end if;
  return new;
end
$fill$;
revoke execute on function public.dlq_complete_adopted from public;
comment on function public.dlq_complete_adopted is 'Trigger: accepts what the adopted table accepted, and keeps values that this product rejects.';
create trigger dlq_events_adopted before insert or update on public.dlq_events
for each row ${renamed.length > 0 ? '' : `when (${conditions.join(' or ')})`} execute function public.dlq_complete_adopted()`;
}

function hasOrder(source: Source): boolean {
  return ['first_failure_at', 'last_failure_at'].some((fact) => findColumn(source, fact) !== undefined);
}

/** The column of the other name counts where it is set or changed; the product changes only its own. */
function composeCopy(source: Source, fact: string, column: string): string {
  const name = pg.escapeIdentifier(column);
  const value = readFacts({ ...source, columns: source.columns.filter((each) => each.name === column) })
    .split(',\n')
    .find((each) => each.endsWith(` as ${fact}`))
    ?.replace(/ as \w+$/, '');
  const message = readMessage(source);
  const exact =
    fact === 'payload'
      ? `
    new.body := ${message.body};
    new.payload_encoding := ${message.encoding};`
      : '';
  const copy = `new.${fact} := coalesce(${value}, new.${fact});${exact}`.replaceAll('old.', 'new.');
  // json has no equality.
  return `if new.${name} is not null and (tg_op = 'INSERT' or new.${name}::text is distinct from old.${name}::text) then
    ${copy}
  end if;`;
}
