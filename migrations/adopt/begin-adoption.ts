import type pg from 'pg';
import { prepareDatabase } from '../prepare-database.ts';
import { addPlainColumns, carryOver, findExtraColumns } from './carry-over.ts';
import { composeFillTrigger } from './fill-trigger.ts';
import { readMigrations } from './inspect-server.ts';
import { composeMirror } from './mirror.ts';
import type { Plan } from './plan.ts';
import { isTable, listRelations, renameRelations } from './rename-relations.ts';

/**
 * Creates the schema beside the tables of the consumers, which keep their names, and the triggers that copy what consumers
 * write. The tables of the product have the prefix `adopting_` until they are complete. Call it within a transaction that
 * holds the locks of the tables: the migrations need the names for a moment.
 */
export async function beginAdoption(client: pg.Client, plan: Plan): Promise<void> {
  const { tables } = plan;
  const theirs = await Promise.all(tables.map(({ table }) => listRelations(client, table.name)));
  for (const relations of theirs) await renameRelations(client, relations, ({ oid }) => `adopting_${oid}`);
  await prepareDatabase(client);
  await applyMigrations(client);
  const events = tables.find(({ table }) => table.name === 'dlq_events');
  if (events) await addPlainColumns(client, 'public.dlq_events_archive', findExtraColumns(events.table));
  for (const { table } of tables) {
    const isArchive = table.name === 'dlq_events_archive';
    await carryOver(
      client,
      isArchive
        ? {
            ...table,
            columns: table.columns.filter(
              ({ name }) => !events?.table.columns.some((column) => column.name === name),
            ),
          }
        : table,
      `public.${table.name}`,
    );
  }
  if (events) await client.query(composeFillTrigger(events.source));
  const ours = await Promise.all(tables.map(({ table }) => listRelations(client, table.name)));
  for (const relations of ours) {
    // A name of 63 characters has no place for a prefix.
    await renameRelations(
      client,
      relations,
      ({ oid, kind, name }) => `adopting_${isTable(kind) ? name : oid}`,
    );
  }
  for (const relations of theirs) await renameRelations(client, relations, ({ name }) => name);
  await client.query(
    `create table public.dlq_adoption (name text primary key, last_id bigint, rows bigint not null default 0, digest text not null, names jsonb not null);
     create table public.dlq_adoption_pending (name text not null, id bigint not null);
     create index dlq_adoption_noted on public.dlq_adoption_pending (name, id)`,
  );
  for (const [index, each] of tables.entries()) {
    await client.query(await composeMirror(client, each));
    const names = Object.fromEntries((ours[index] ?? []).map(({ oid, name }) => [oid, name]));
    await client.query('insert into public.dlq_adoption (name, digest, names) values ($1, $2, $3)', [
      each.table.name,
      each.digest,
      names,
    ]);
  }
}

/**
 * Applies every migration within the caller's transaction, and records them as node-pg-migrate does, which always opens a
 * transaction of its own. A test proves that it finds nothing to apply afterwards.
 */
async function applyMigrations(client: pg.Client): Promise<void> {
  // An earlier migration that failed may have left the table.
  await client.query(
    'create table if not exists dlq_migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null)',
  );
  for (const { name, text } of await readMigrations()) {
    await client.query(text);
    await client.query('insert into dlq_migrations (name, run_on) values ($1, now())', [name]);
  }
}
