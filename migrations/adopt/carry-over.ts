import pg from 'pg';
import { namedColumns } from './find-warnings.ts';
import { isFact } from './insert-rows.ts';
import type { Column, Index, Table } from './inspect-table.ts';

/**
 * Indexes of the articles, whose queries those of this product answer. The one over status and retry_after is carried over: without
 * it, each claim by a worker of the consumers would read the whole table.
 */
const replaced = ['status', 'event_type', 'created_at', 'id'];

/** The columns that only the table of the consumers has. */
export function findExtraColumns({ columns }: Pick<Table, 'columns'>): Column[] {
  return columns.filter(({ name }) => !isFact(name));
}

/** The indexes that the new table needs beside its own. */
export function findExtraIndexes({ indexes }: Pick<Table, 'indexes'>): Index[] {
  return indexes.filter(({ columns, isPlain, isUnique }) => {
    const list = columns.join(',');
    return !(isPlain && replaced.includes(list) && (!isUnique || list === 'id'));
  });
}

/** Columns of other names become nullable: captures do not know them. */
function defineColumn({ name, definition, collation, generated, default: text }: Column): string {
  const value = generated
    ? `generated always as (${text}) ${generated === 'v' ? 'virtual' : 'stored'}`
    : text === null
      ? ''
      : `default ${text}`;
  return `${pg.escapeIdentifier(name)} ${definition} ${collation ? `collate ${collation}` : ''} ${value}`;
}

/** Gives an empty table of this product the columns of another one, without their defaults. */
export async function addPlainColumns(
  client: pg.Client,
  target: string,
  columns: readonly Column[],
): Promise<void> {
  for (const { name, definition, collation } of columns) {
    const type = `${definition} ${collation ? `collate ${collation}` : ''}`;
    await client.query(`alter table ${target} add column ${pg.escapeIdentifier(name)} ${type}`);
  }
}

/** Gives an empty table of this product the columns, indexes, foreign keys and settings of another one. */
export async function carryOver(client: pg.Client, table: Table, target: string): Promise<void> {
  for (const column of findExtraColumns(table)) {
    await client.query(`alter table ${target} add column ${defineColumn(column)}`);
  }
  for (const { name, default: text } of table.columns) {
    if (namedColumns.includes(name) && text !== null) {
      await client.query(`alter table ${target} alter ${name} set default ${text}`);
    }
  }
  for (const { name, comment } of table.columns) {
    if (comment !== null) {
      await client.query(
        `comment on column ${target}.${pg.escapeIdentifier(name)} is ${pg.escapeLiteral(comment)}`,
      );
    }
  }
  for (const index of findExtraIndexes(table)) await carryIndex(client, index, target);
  // Those of the events follow at the end: a copied row may refer to one that is copied later.
  for (const { kind, isIncoming, name, definition } of table.constraints) {
    if (kind === 'f' && !isIncoming && table.name !== 'dlq_events') {
      await client.query(`alter table ${target} add constraint ${pg.escapeIdentifier(name)} ${definition}`);
    }
  }
  if (table.replicaIdentity === 'n') await client.query(`alter table ${target} replica identity nothing`);
  if (table.comment !== null)
    await client.query(`comment on table ${target} is ${pg.escapeLiteral(table.comment)}`);
}

async function carryIndex(
  client: pg.Client,
  { name, definition, constraint, isPrimary }: Index,
  target: string,
): Promise<void> {
  const free = pg.escapeIdentifier(await findFreeName(client, name));
  if (constraint !== null) {
    const kept = isPrimary ? constraint.replace('PRIMARY KEY', 'UNIQUE') : constraint;
    await client.query(`alter table ${target} add constraint ${free} ${kept}`);
    return;
  }
  await client.query(
    definition.replace(/^(CREATE (?:UNIQUE )?INDEX) (?:"(?:[^"]|"")+"|\S+) ON/, `$1 ${free} ON`),
  );
}

/** An index of this product may have the name. */
async function findFreeName(client: pg.Client, name: string): Promise<string> {
  const { rows } = await client.query<{ taken: boolean }>(
    `select exists (select from pg_class where relname = $1 and relnamespace = 'public'::regnamespace) as taken`,
    [name],
  );
  return rows[0]?.taken ? `${name.slice(0, 54)}_adopted` : name;
}
