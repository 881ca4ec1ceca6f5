import type pg from 'pg';
import { ConflictError } from '../shared/errors.ts';

const oldestVersion = 16;

type State = {
  readonly version: number;
  readonly versionText: string;
  readonly isForeign: boolean;
  readonly isAdopting: boolean;
};

/** Throws a ConflictError if the server is older than PostgreSQL 16. */
export async function checkVersion(client: pg.Client): Promise<void> {
  const { version, versionText } = await readState(client);
  if (version < oldestVersion * 10_000) {
    throw new ConflictError(
      `The server runs PostgreSQL ${versionText}; PostgreSQL ${oldestVersion} or newer is required.`,
    );
  }
}

/**
 * Checks that the schema may be created or upgraded, before anything is changed. Throws a ConflictError if the server is too old,
 * or dlq_events is a table of the articles, or its adoption is unfinished.
 */
export async function checkDatabase(client: pg.Client): Promise<void> {
  await checkVersion(client);
  const { isForeign, isAdopting } = await readState(client);
  if (isAdopting) {
    throw new ConflictError(
      'The adoption of dlq_events is unfinished: run npm run adopt to continue, or npm run adopt -- --cancel.',
    );
  }
  if (isForeign) {
    throw new ConflictError(
      'dlq_events is a table of the articles or of your own, not of this product. Run npm run adopt -- --dry-run: it says whether npm run adopt can turn it into one, with its rows, while consumers use it.',
    );
  }
}

async function readState(client: pg.Client): Promise<State> {
  const { rows } = await client.query<State>(`
    select
      current_setting('server_version_num')::int as version, split_part(current_setting('server_version'), ' ', 1) as "versionText",
      to_regclass('public.dlq_adoption') is not null as "isAdopting",
      exists (
        select from pg_class
        where oid in (to_regclass('public.dlq_events'), to_regclass('dlq_events'))
          and not exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'event_key')
      ) as "isForeign"`);
  return rows[0] as State;
}
