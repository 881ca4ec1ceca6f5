import pg from 'pg';
import { migrate } from '../../migrations/migrate.ts';
import { CannotOpenError } from '../cannot-open-error.ts';
import type { Opening } from '../opening.ts';
import { waitUntilReady } from '../processes/wait-until-ready.ts';
import { createDatabase, startEmbedded } from './embedded.ts';

/** The database of a local office: the given one, or one of its own. */
export type LocalDatabase = {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Host, port and database, without user and password. */
  readonly name: string;
  /** What a shell replaces by the address, so that no password is on the screen. */
  readonly shellAddress: string;
  /** Where our own one keeps its data. */
  readonly dataFolder: string | undefined;
};

/** Opens the database and brings its schema up to date. */
export async function openDatabase(opening: Opening): Promise<LocalDatabase> {
  const { settings, closing, say } = opening;
  const { databaseUrl } = settings;
  const database = databaseUrl === undefined ? await openEmbedded(opening) : await findGiven(databaseUrl);
  const pool = openPool(database.url);
  closing.defer(() => pool.end());
  const applied = await migrate(database.url).catch((cause: unknown) => {
    throw new CannotOpenError(
      `The migrations could not be applied to ${describe(database.url)}: ${String(cause)}`,
      {
        cause,
      },
    );
  });
  if (applied.length > 0) say('office')(`applied ${applied.length} migrations`);
  return { ...database, pool };
}

async function openEmbedded({
  settings,
  closing,
  say,
  ending,
}: Opening): Promise<Omit<LocalDatabase, 'pool'>> {
  const watch = { say: say('office'), fail: ending.fail };
  const { server, url, urlFile, dataFolder } = await startEmbedded(settings.dataFolder, watch);
  closing.defer(server.close);
  await waitUntilReady([server], ending.signal);
  await createDatabase(url);
  return { url, name: describe(url), shellAddress: `$(cat ${urlFile})`, dataFolder };
}

async function findGiven(url: string): Promise<Omit<LocalDatabase, 'pool'>> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
  } catch (cause) {
    const reason = cause instanceof AggregateError ? cause.errors[0] : cause;
    const remedy =
      'Start that database or correct DATABASE_URL; without DATABASE_URL the office brings its own.';
    throw new CannotOpenError(`The database ${describe(url)} cannot be used: ${String(reason)}.\n${remedy}`, {
      cause,
    });
  } finally {
    await client.end().catch(() => undefined);
  }
  return { url, name: describe(url), shellAddress: '$DATABASE_URL', dataFolder: undefined };
}

/** For the office's own questions, which must not wait long. */
function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'office',
    max: 2,
    connectionTimeoutMillis: 3000,
    query_timeout: 5000,
  });
  // A connection that is lost while it is idle is replaced by the next question.
  pool.on('error', () => {});
  return pool;
}

function describe(url: string): string {
  const address = URL.parse(url);
  return address ? `${address.host}${address.pathname}` : 'of DATABASE_URL';
}
