import pg from 'pg';
import { facts } from './facts.ts';
import type { Contents } from './read-contents.ts';
import { findNullable } from './read-contents.ts';
import { findColumn, readFacts, type Source } from './read-facts.ts';
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
};

/**
 * Composes a trigger that completes what consumers go on writing as they did before: nulls, words for statuses, and columns of
 * other names. Undefined if their table needs none of it.
 */
export function composeFillTrigger(source: Source, contents: Contents): string | undefined {
  const nullable = findNullable(source);
  const hasWords =
    Object.keys(source.mapping.status).length > 0 ||
    contents.words.some(({ word }) => !statuses.includes(word));
  const renamed = Object.keys(facts)
    .map((fact) => ({ fact, column: findColumn(source, fact)?.name }))
    .filter(({ fact, column }) => column !== undefined && column !== fact);
  if (nullable.length === 0 && !hasWords && renamed.length === 0) return undefined;
  const words = pg.escapeLiteral(JSON.stringify(readWords(source.mapping.status)));
  return `
create function public.dlq_complete_adopted() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $fill$
begin
  ${renamed.map(({ fact, column = '' }) => composeCopy(source, fact, column)).join('\n  ')}
  ${Object.entries(defaults)
    .filter(([fact]) => nullable.includes(fact))
    .map(([fact, value]) => `new.${fact} := coalesce(new.${fact}, ${value});`)
    .join('\n  ')}
  if new.status <> all (${pg.escapeLiteral(`{${statuses.join(',')}}`)}) then
    new.status := coalesce(${words}::jsonb ->> lower(new.status), new.status);
  end if;
  return new;
end
$fill$;
revoke execute on function public.dlq_complete_adopted from public;
comment on function public.dlq_complete_adopted is 'Trigger: completes what consumers of the adopted table write.';
create trigger dlq_events_adopted before insert or update on public.dlq_events
for each row execute function public.dlq_complete_adopted()`;
}

/** The column of the other name counts where it is set or changed; the product changes only its own. */
function composeCopy(source: Source, fact: string, column: string): string {
  const name = pg.escapeIdentifier(column);
  const value = readFacts({ ...source, columns: source.columns.filter((each) => each.name === column) })
    .split(',\n')
    .find((each) => each.endsWith(` as ${fact}`))
    ?.replace(/ as \w+$/, '')
    .replaceAll('old.', 'new.');
  return `if new.${name} is not null and (tg_op = 'INSERT' or new.${name} is distinct from old.${name}) then
    new.${fact} := coalesce(${value}, new.${fact});
  end if;`;
}
