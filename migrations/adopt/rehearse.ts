import pg from 'pg';
import { ConflictError } from '../../shared/errors.ts';
import { beginAdoption } from './begin-adoption.ts';
import { finishAdoption } from './finish-adoption.ts';
import { isTemporary } from './lock-tables.ts';
import type { Plan } from './plan.ts';

/**
 * Begins an adoption, and rehearses its end: a view, an index or an event trigger that PostgreSQL would reject an hour later is
 * found before the first row is copied. Call it within a transaction that holds the locks of the tables. Throws a ConflictError
 * that describes the rejected statement.
 */
export async function beginAndRehearse(client: pg.Client, plan: Plan): Promise<void> {
  try {
    await beginAdoption(client, plan);
    await client.query('savepoint rehearsed');
    await finishAdoption(
      client,
      plan.tables.map(({ table, digest }) => ({ name: table.name, digest })),
    );
    await client.query('rollback to savepoint rehearsed');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || isTemporary(error)) throw error;
    throw new ConflictError(describe(error), { cause: error });
  }
}

function describe({ message, detail, hint, where }: pg.DatabaseError): string {
  const more = [detail, hint, where].filter((text) => text).join(' ');
  return (
    `PostgreSQL rejects what the adoption has to do: ${message}.${more ? ` ${more}` : ''} Nothing was changed. ` +
    'Change the index, view or other object that this is about, or import the rows of the table, which leaves it as it is (docs/adopt.md, Import).'
  );
}
