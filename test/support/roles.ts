import pLimit from 'p-limit';
import pg from 'pg';
import type { Database } from '../../shared/database/database.ts';
import type { TestDatabase } from './database.ts';

/** A statement that the owner runs first, and the work of the role. */
export type Action = { readonly before?: string; readonly work: (db: Database) => Promise<unknown> };

/** Runs `work` with the rights of a group role, in a session like those of the product, and rolls it back. */
export async function actAs(role: string, { url }: TestDatabase, { before, work }: Action): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c dlo.computes_fingerprints=on' });
  await client.connect();
  try {
    await client.query('begin');
    if (before) await client.query(before);
    await client.query(`set local role ${role}`);
    // One transaction is one connection, whose queries must not overlap.
    const inSequence = pLimit(1);
    await work({
      query: (query) => inSequence(() => client.query<never>(query as pg.QueryConfig)),
      close: async () => {},
    });
  } finally {
    await client.end();
  }
}

/**
 * Whether PostgreSQL answered "permission denied" or "must be owner", or that the transaction has failed since then.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['42501', '25P02'].includes(`${error.code}`);
}

/** Lists the rights of a role in a database, each as the statement that revokes it. */
export async function listRevocations({ sql }: TestDatabase, role: string): Promise<string[]> {
  const rows = await sql<{ revoke: string }>(
    `select format('revoke %s on %s %s from %s',
       concat(privilege_type, ' (' || quote_ident(column_name) || ')'), kind, object, grantee::regrole) as revoke
     from (
       select 'table' as kind, oid::regclass::text as object, null as column_name, relacl as acl from pg_class
       union all
       select 'table', attrelid::regclass::text, attname, attacl from pg_attribute
       union all
       select 'function', oid::regprocedure::text, null, proacl from pg_proc
     ) as granted
     cross join lateral aclexplode(acl)
     where grantee = $1::regrole`,
    [role],
  );
  return rows.map(({ revoke }) => revoke);
}
