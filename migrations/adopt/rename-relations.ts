import pg from 'pg';

/** A table, one of its indexes, or the sequence of one of its columns. */
export type Relation = { readonly oid: number; readonly kind: string; readonly name: string };

const nouns: Readonly<Record<string, string>> = { i: 'index', I: 'index', S: 'sequence' };

/** Whether a relation of that kind is a table. */
export function isTable(kind: string): boolean {
  return !(kind in nouns);
}

/** Lists a table of the schema public, its indexes, and the sequence of its id: the names that another table may need. */
export async function listRelations(client: pg.Client, table: string): Promise<Relation[]> {
  const { rows } = await client.query<Relation>(
    `select pg_class.oid, relkind as kind, relname as name
     from pg_class
     where pg_class.oid = $1::text::regclass
       or pg_class.oid in (select indexrelid from pg_index where indrelid = $1::text::regclass)
       or pg_class.oid = (
         select pg_get_serial_sequence($1::text, attname)::regclass from pg_attribute
         where attrelid = $1::text::regclass and attname = 'id' and not attisdropped)
     order by 1`,
    [`public.${table}`],
  );
  return rows;
}

/** Renames relations within the schema public. `rename` gets the relation and returns its new name. */
export async function renameRelations(
  client: pg.Client,
  relations: readonly Relation[],
  rename: (relation: Relation) => string,
): Promise<void> {
  for (const relation of relations) {
    const { rows } = await client.query<{ name: string }>('select $1::oid::regclass::text as name', [
      relation.oid,
    ]);
    const noun = nouns[relation.kind] ?? 'table';
    await client.query(`alter ${noun} ${rows[0]?.name} rename to ${pg.escapeIdentifier(rename(relation))}`);
  }
}
