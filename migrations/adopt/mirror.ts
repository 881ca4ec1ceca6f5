import pg from 'pg';
import { findExtraColumns } from './carry-over.ts';
import { composeInsert } from './insert-rows.ts';
import type { Adopted } from './plan.ts';

/** A statement of more rows would take ten times as long, and others would wait for its rows. */
const maxCopied = 1000;

/**
 * Composes the functions and triggers that keep the copy of a table up to date. A statement of a consumer never fails because of
 * them: ids of rows that cannot be copied at once are noted, and copied later.
 */
export async function composeMirror(client: pg.Client, { table, source }: Adopted): Promise<string> {
  const isArchive = table.name === 'dlq_events_archive';
  const { statement, columns } = composeInsert({
    ...source,
    from: `public.${table.name}`,
    into: `public.adopting_${table.name}`,
    eventKey: `'adopted:' || fact.id`,
    more: {
      id: 'fact.id',
      ...Object.fromEntries(
        findExtraColumns(table)
          .filter(({ generated }) => !generated || isArchive)
          .map(({ name }) => [name, `old.${pg.escapeIdentifier(name)}`]),
      ),
      ...(isArchive
        ? { redelivery_token: 'gen_random_uuid()', is_type_told: 'true', content_rank: '1' }
        : {}),
    },
    computed: isArchive ? await readGenerated(client) : {},
    where: 'where old.id = any ($1) order by old.id',
  });
  const updates = columns
    .filter((name) => name !== 'id' && name !== 'event_key')
    .map((name) => `${pg.escapeIdentifier(name)} = excluded.${pg.escapeIdentifier(name)}`);
  // The archive has no unique index on id.
  const upsert = isArchive ? '' : `on conflict (id) do update set ${updates.join(', ')}`;
  const stale = isArchive
    ? ''
    : `and not exists (select from public.${table.name} as source where source.id = copy.id)`;
  return `
create function public.adopting_copy_${table.name}(ids bigint[]) returns void language plpgsql
set search_path = pg_catalog, pg_temp as $copy$
begin
  delete from public.adopting_${table.name} as copy where copy.id = any ($1) ${stale};
  ${statement}
  ${upsert};
end
$copy$;

create function public.adopting_mirror_${table.name}() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $mirror$
declare
  ids bigint[];
begin
  if tg_op = 'TRUNCATE' then
    delete from public.adopting_${table.name};
    return null;
  elsif tg_op = 'INSERT' then
    ids := array(select id from became);
  elsif tg_op = 'UPDATE' then
    ids := array(select id from was union select id from became);
  else
    ids := array(select id from was);
  end if;
  if cardinality(ids) > ${maxCopied} then
    insert into public.dlq_adoption_pending (name, id) select '${table.name}', unnest(ids);
  elsif cardinality(ids) > 0 then
    begin
      perform public.adopting_copy_${table.name}(ids);
    exception when others then
      insert into public.dlq_adoption_pending (name, id) select '${table.name}', unnest(ids);
    end;
  end if;
  return null;
end
$mirror$;

revoke execute on function public.adopting_copy_${table.name}, public.adopting_mirror_${table.name} from public;

create trigger adopting_inserted after insert on public.${table.name} referencing new table as became
for each statement execute function public.adopting_mirror_${table.name}();
create trigger adopting_updated after update on public.${table.name} referencing old table as was new table as became
for each statement execute function public.adopting_mirror_${table.name}();
create trigger adopting_deleted after delete on public.${table.name} referencing old table as was
for each statement execute function public.adopting_mirror_${table.name}();
create trigger adopting_truncated after truncate on public.${table.name}
for each statement execute function public.adopting_mirror_${table.name}();
alter table public.${table.name} enable always trigger adopting_inserted, enable always trigger adopting_updated,
  enable always trigger adopting_deleted, enable always trigger adopting_truncated`;
}

/** The columns that dlq_events computes and its archive stores, with their expressions. */
async function readGenerated(client: pg.Client): Promise<Readonly<Record<string, string>>> {
  const { rows } = await client.query<{ name: string; expression: string }>(
    `select attname as name, pg_get_expr(adbin, adrelid) as expression
     from pg_attribute join pg_attrdef on adrelid = attrelid and adnum = attnum
     where attrelid = 'public.adopting_dlq_events'::regclass and attgenerated = 's'
       and attname in ('is_open', 'is_blocking', 'sequence', 'lane', 'order_key')`,
  );
  return Object.fromEntries(rows.map(({ name, expression }) => [name, expression]));
}
