import pg from 'pg';
import { ConflictError } from '../../shared/errors.ts';
import { copyNoted } from './copy-rows.ts';
import { inspectTable, type Publication, type Table, type View } from './inspect-table.ts';
import { digest } from './plan.ts';
import { readStatement } from './read-statement.ts';
import { listRelations, type Relation, renameRelations } from './rename-relations.ts';

/** A foreign key of a table, both as SQL names them. */
export type ForeignKey = { readonly table: string; readonly name: string };

type Begun = { readonly name: string; readonly digest: string };

/**
 * Gives the complete copies the names of the tables, and moves to them what refers to the tables by their identity. The old
 * tables stay, with the prefix `adopted_`. Call it within a transaction that holds the locks of the tables. Returns the foreign
 * keys to validate. Throws a ConflictError if a table was changed since the adoption began.
 */
export async function finishAdoption(client: pg.Client, begun: readonly Begun[]): Promise<ForeignKey[]> {
  const tables: Table[] = [];
  for (const { name, digest: before } of begun) {
    const table = await inspectTable(client, `public.${name}`);
    if (!table || digest(table) !== before) throw new ConflictError(describeChange(name));
    tables.push(table);
    while ((await copyNoted(client, name)).left > 0);
  }
  for (const table of tables) await swap(client, table, await readNames(client, table.name));
  await client.query('drop table public.dlq_adoption, public.dlq_adoption_pending');
  const keys: ForeignKey[] = [];
  for (const table of tables) {
    await moveReferences(client, table);
    keys.push(...(await moveForeignKeys(client, table)));
  }
  return keys;
}

function describeChange(name: string): string {
  return `${name} was changed after the adoption had begun: a column, an index, a right or another object of it. Run npm run adopt -- --cancel, and adopt it again; no row is lost.`;
}

/** The names that the relations of the copy get, by their oid. */
async function readNames(client: pg.Client, name: string): Promise<Readonly<Record<string, string>>> {
  const { rows } = await client.query('select names from public.dlq_adoption where name = $1', [name]);
  return rows[0].names;
}

/** The sequence is renamed before it is read: no other id can be taken from it. */
async function swap(
  client: pg.Client,
  { name }: Table,
  names: Readonly<Record<string, string>>,
): Promise<void> {
  for (const each of ['inserted', 'updated', 'deleted', 'truncated']) {
    await client.query(`drop trigger adopting_${each} on public.${name}`);
  }
  await client.query(`drop function public.adopting_mirror_${name}, public.adopting_copy_${name}`);
  const theirs = await listRelations(client, name);
  await renameRelations(client, theirs, prefixName);
  await renameRelations(
    client,
    await listRelations(client, `adopting_${name}`),
    (relation) => names[relation.oid] ?? relation.name,
  );
  const { rows } = await client.query<{ statement: string }>(await readStatement('copy-grants'), [
    `public.adopted_${name}`,
    `public.${name}`,
  ]);
  for (const { statement } of rows) await client.query(statement);
  if (name === 'dlq_events') await continueIds(client, theirs.find(({ kind }) => kind === 'S')?.name);
}

/** PostgreSQL cuts names after 63 bytes, which could make two the same. */
function prefixName({ oid, name }: Relation): string {
  const prefixed = `adopted_${name}`;
  return Buffer.byteLength(prefixed) > 63 ? `adopted_${oid}` : prefixed;
}

/** Consumers may use the sequence by its name, `given`. */
async function continueIds(client: pg.Client, given: string | undefined): Promise<void> {
  const { rows } = await client.query<{ old: string | null; own: string }>(
    `select pg_get_serial_sequence('public.adopted_dlq_events', 'id') as old, pg_get_serial_sequence('public.dlq_events', 'id') as own`,
  );
  const { old, own } = rows[0] as { old: string | null; own: string };
  if (old === null || given === undefined) {
    await client.query('select setval($1, greatest(max(id), 0) + 1, false) from public.dlq_events', [own]);
    return;
  }
  const settings = await client.query<{ increment: string; cache: string }>(
    'select seqincrement as increment, seqcache as cache from pg_sequence where seqrelid = $1::regclass',
    [old],
  );
  const { increment, cache } = settings.rows[0] as { increment: string; cache: string };
  await client.query(`alter sequence ${own} increment by ${increment} cache ${cache}`);
  await client.query(`select setval($1, last_value, is_called) from ${old}`, [own]);
  const name = pg.escapeIdentifier(given);
  if (own !== `public.${given}`) await client.query(`alter sequence ${own} rename to ${name}`);
}

async function moveReferences(
  client: pg.Client,
  { name, columns, views, triggers, publications }: Table,
): Promise<void> {
  for (const view of views.filter(({ kind }) => kind === 'v')) await client.query(composeView(view));
  // A sequence that stayed with the old table would end with it.
  for (const { sequence } of columns) {
    if (sequence !== null) await client.query(`alter sequence ${sequence} owned by none`);
  }
  for (const publication of publications) {
    const own = columns.filter(({ generated }) => !generated).map((column) => column.name);
    await movePublication(client, { ...publication, columns: publication.columns ?? own }, name);
  }
  const states: Readonly<Record<string, string>> = { D: 'disable', A: 'enable always', R: 'enable replica' };
  for (const { name: trigger, definition, enabled } of triggers) {
    await client.query(definition);
    const state = states[enabled];
    if (state)
      await client.query(`alter table public.${name} ${state} trigger ${pg.escapeIdentifier(trigger)}`);
  }
}

/**
 * Creates the foreign keys of a table, and those of other tables to it, without a look at the rows: that would take long. Returns
 * those that are to be validated after the lock. The archive has its own keys from the beginning: PostgreSQL 17 creates none on a
 * partitioned table without that look.
 */
async function moveForeignKeys(client: pg.Client, { name, constraints }: Table): Promise<ForeignKey[]> {
  const keys = constraints.filter(
    ({ kind, isIncoming }) => kind === 'f' && (isIncoming || name === 'dlq_events'),
  );
  const moved = keys.map(({ isIncoming, table, name: key, definition, isValid }) => ({
    isIncoming,
    isValid,
    table: isIncoming && table !== name ? table : `public.${name}`,
    name: pg.escapeIdentifier(key),
    definition: definition.replace(/ NOT VALID$/, ''),
  }));
  for (const { isIncoming, table, name: key, definition } of moved) {
    if (isIncoming) await client.query(`alter table ${table} drop constraint ${key}`);
    await client.query(`alter table ${table} add constraint ${key} ${definition} not valid`);
  }
  return moved.filter(({ isValid }) => isValid).map(({ table, name: key }) => ({ table, name: key }));
}

/** Keeps the types of a view, and with them its grants, its comment, and the views that read it. */
function composeView({ name, definition, options, columns }: View): string {
  const list = columns.map((column) => pg.escapeIdentifier(column.name)).join(', ');
  const casts = columns.map((column) => `${pg.escapeIdentifier(column.name)}::${column.type}`).join(', ');
  const query = definition.replace(/;\s*$/, '');
  const head = (kept: string) =>
    `create or replace view ${name} (${list}) ${kept === '' ? '' : `with (${kept})`} as`;
  // With casts, the view is for reading only, and a check option is an error.
  const forReading = (options ?? '').split(', ').filter((option) => !option.startsWith('check_option='));
  return `do $view$
begin
  ${head(options ?? '')} ${query};
exception when invalid_table_definition then
  ${head(forReading.join(', '))} select ${casts} from (${query}) as adopted (${list});
end
$view$`;
}

/** Publishes the columns that were published: a subscriber has no others. */
async function movePublication(
  client: pg.Client,
  { name, columns, filter }: Publication,
  table: string,
): Promise<void> {
  const publication = pg.escapeIdentifier(name);
  const list = columns ? `(${columns.map(pg.escapeIdentifier).join(', ')})` : '';
  await client.query(`alter publication ${publication} drop table public.adopted_${table}`);
  await client.query(
    `alter publication ${publication} add table public.${table} ${list} ${filter ? `where (${filter})` : ''}`,
  );
}
