import type pg from 'pg';
import { listObjects } from './inspect-server.ts';

/** Removes what an unfinished adoption created. Call it within a transaction that holds the locks of the tables. */
export async function cancelAdoption(client: pg.Client, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    for (const each of ['inserted', 'updated', 'deleted', 'truncated']) {
      await client.query(`drop trigger adopting_${each} on public.${table}`);
    }
    await client.query(`drop function public.adopting_mirror_${table}, public.adopting_copy_${table}`);
  }
  const objects = (await listObjects()).map(({ kind, name }) => ({
    kind,
    name: tables.includes(name) ? `public.adopting_${name}` : `public.${name}`,
  }));
  const namesOf = (kind: string) =>
    objects
      .filter((object) => object.kind === kind)
      .map(({ name }) => name)
      .join(', ');
  await client.query('drop table public.dlq_adoption, public.dlq_adoption_pending');
  await client.query(`drop view ${namesOf('view')}`);
  await client.query(`drop table ${namesOf('table')}, public.dlq_migrations`);
  await client.query('drop function if exists public.dlq_complete_adopted');
  await client.query(`drop function ${namesOf('function')}`);
  await client.query(`drop type ${namesOf('type')}`);
}
