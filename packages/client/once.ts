/** A connection of `pg`, or any other with the same form. */
export type Client = {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rowCount: number | null; readonly rows: unknown[] }>;
};

export type PooledClient = Client & { release(error?: Error): void };

type OnceOptions<Connection extends PooledClient> = {
  /** A `pg.Pool` on the database that the handler changes. */
  readonly pool: { connect(): Promise<Connection> };
  /** The consumer of the events: each consumer handles an event once. */
  readonly consumer: string;
};

/** Runs `handle` unless it succeeded for this id before. Returns whether it ran. */
export type Once<Connection> = (
  eventId: string,
  handle: (client: Connection) => Promise<unknown>,
) => Promise<boolean>;

/** Creates the table of the events that were handled, if it is missing. */
export async function createHandledEvents(client: Client): Promise<void> {
  await client.query(`create table if not exists handled_events (
    consumer text, event_id text, handled_at timestamptz not null default now(),
    primary key (consumer, event_id)
  )`);
}

/** Waits for the end of another transaction that has the id. */
const insert = 'insert into handled_events (consumer, event_id) values ($1, $2) on conflict do nothing';

/**
 * Opens an idempotent handling of events. The id and the changes that `handle` makes through `client` are
 * committed together, so that neither a crash nor a second delivery at the same time doubles or loses them.
 */
export function openOnce<Connection extends PooledClient>({
  pool,
  consumer,
}: OnceOptions<Connection>): Once<Connection> {
  return async (eventId, handle) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rowCount } = await client.query(insert, [consumer, eventId]);
      if (rowCount === 1) await handle(client);
      await client.query('commit');
      client.release();
      return rowCount === 1;
    } catch (error) {
      await rollBack(client);
      throw error;
    }
  };
}

/** A connection that cannot roll back is closed. */
async function rollBack(client: PooledClient): Promise<void> {
  try {
    await client.query('rollback');
    client.release();
  } catch (error) {
    client.release(error instanceof Error ? error : new Error(String(error)));
  }
}
