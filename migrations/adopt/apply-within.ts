import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';

/**
 * Applies every migration within the caller's transaction, and records them as node-pg-migrate does, which always opens a
 * transaction of its own. A test proves that it finds nothing to apply afterwards.
 */
export async function applyWithin(
  client: pg.Client,
  folder = path.resolve(import.meta.dirname, '..'),
): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /^\d{3}_.*\.sql$/.test(name)).sort();
  await client.query(
    'create table dlq_migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null)',
  );
  for (const name of names) {
    await client.query(await readFile(path.join(folder, name), 'utf8'));
    const record = 'insert into dlq_migrations (name, run_on) values ($1, now())';
    await client.query(record, [path.parse(name).name]);
  }
}
