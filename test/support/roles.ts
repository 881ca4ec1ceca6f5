import pLimit from 'p-limit';
import pg from 'pg';
import type { Database } from '../../shared/database.ts';
import type { TestDatabase } from './database.ts';

/** One change that the owner makes first, then what the role does. */
export type Act = { readonly before?: string; readonly work: (db: Database) => Promise<unknown> };

/** Lets a group role work on a database, as far as its rights go. Nothing of it stays. */
export async function actAs(role: string, { url }: TestDatabase, { before, work }: Act): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    if (before) await client.query(before);
    await client.query(`set local role ${role}`);
    // All in one transaction, and so on one connection, on which one asks after the other.
    const inTurn = pLimit(1);
    await work({
      query: async (query) => ({ rows: (await inTurn(() => client.query(query as pg.QueryConfig))).rows }),
      close: async () => {},
    });
  } finally {
    await client.end();
  }
}

/**
 * Whether PostgreSQL said "permission denied" or "must be owner", or that the transaction is of no use since it said so to
 * somebody who went on regardless.
 */
export function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['42501', '25P02'].includes(`${error.code}`);
}

/** Every right of a role in a database, each as the statement that takes it away. */
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
