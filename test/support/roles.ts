import pLimit from 'p-limit';
import pg from 'pg';
import type { Database } from '../../shared/database/database.ts';
import type { TestDatabase } from './database.ts';

/** A statement that the owner runs first, and the work of the role. */
export type Action = { readonly before?: string; readonly work: (db: Database) => Promise<unknown> };

/** Runs `work` with the rights of a group role, in a session like those of the product, and rolls it back. */
export async function actAs(role: string, database: TestDatabase, action: Action): Promise<void> {
  const session = await openSession(database);
  await session.act(role, action).finally(session.close);
}

export type Session = {
  act(role: string, action: Action): Promise<void>;
  close(): Promise<void>;
};

/** Opens a session that runs one action after the other, each as `actAs` does. */
export async function openSession({ url }: TestDatabase): Promise<Session> {
  const client = new pg.Client({ connectionString: url, options: '-c dlo.writes_complete_rows=on' });
  await client.connect();
  const act = async (role: string, { before, work }: Action) => {
    // One transaction is one connection, whose queries must not overlap.
    const inSequence = pLimit({ concurrency: 1, rejectOnClear: true });
    let isOver = false;
    const query = (text: pg.QueryConfig) =>
      inSequence(() => {
        if (isOver) throw new Error('The transaction has ended.');
        return client.query<never>(text);
      });
    try {
      await client.query('begin');
      if (before) await client.query(before);
      await client.query(`set local role ${role}`);
      await work({ query: (each) => query(each as pg.QueryConfig), close: async () => {} });
    } finally {
      // Work that failed may have more queries in the queue, or send more.
      isOver = true;
      inSequence.clearQueue();
      await client.query('rollback');
    }
  };
  return { act, close: () => client.end() };
}

/**
 * Whether PostgreSQL answered "permission denied" or "must be owner", or that the transaction has failed
 * since then.
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
