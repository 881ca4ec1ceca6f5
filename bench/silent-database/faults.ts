import type { DatabaseLink } from '../../test/support/database-link.ts';
import { leaseSeconds, type Sql } from './stop-worker.ts';

type Scene = {
  readonly sql: Sql;
  readonly link: DatabaseLink;
  readonly pause: (ms: number) => Promise<void>;
  /** An event that is captured again every 500 ms. */
  readonly recaptured: string;
  /** Sends SIGTERM to both functions; others take their places at once. */
  readonly replaceFunctions: () => Promise<void>;
  /** Stops a worker while it holds events. Its end resolves to the milliseconds until they were delivered. */
  readonly stopWorker: () => Promise<() => Promise<number>>;
};

/** Begins a fault and waits for its end if it has one. Returns what ends it otherwise. */
type Fault = (scene: Scene) => Promise<() => Promise<unknown>>;

const nothing = async () => {};
const ofFunctions = `from pg_stat_activity where datname = current_database() and application_name in ('capture', 'retry')`;
/** How long a database that answers with errors does so. */
const errorsMs = 3000;

export const faults: Readonly<Record<string, Fault>> = {
  'half-open: every connection of the functions is silent, new ones work': async ({ link }) => {
    link.freeze();
    return nothing;
  },
  'hung backend: SIGSTOP to every backend of the functions': async ({ sql, pause }) => {
    for (;;) {
      const pids = (await sql(`select pid ${ofFunctions}`)).map(({ pid }) => Number(pid));
      const signal = (name: NodeJS.Signals) => {
        for (const pid of pids) process.kill(pid, name);
      };
      signal('SIGSTOP');
      // A backend that is stopped while it writes the log stops the whole server: that is another fault. The message makes the
      // commit wait for the log.
      const commit = sql(`select pg_logical_emit_message(true, 'probe', '')`);
      const isServing = await Promise.race([commit.then(() => true), pause(500).then(() => false)]);
      if (isServing) return async () => signal('SIGCONT');
      signal('SIGCONT');
      await commit;
    }
  },
  'locked row: a transaction holds an event that is captured again every 500 ms': async (scene) => {
    const { sql, recaptured } = scene;
    await sql('begin');
    await sql(`select from dlq_events where event_id = '${recaptured}' for update`);
    return () => sql('rollback');
  },
  'cancelled statements: pg_cancel_backend every 10 ms for 3 s': async ({ sql, pause }) => {
    for (const endsAt = Date.now() + errorsMs; Date.now() < endsAt; await pause(10))
      await sql(`select pg_cancel_backend(pid) ${ofFunctions} and state = 'active'`);
    return nothing;
  },
  'read-only: default_transaction_read_only for 3 s': async ({ sql, pause }) => {
    await sql('set default_transaction_read_only = off');
    await sql('alter system set default_transaction_read_only = on');
    await sql('select pg_reload_conf()');
    await pause(errorsMs);
    await sql('alter system reset default_transaction_read_only');
    await sql('select pg_reload_conf()');
    return nothing;
  },
  'disk full: every insert of an event ends with 53100 for 3 s': async ({ sql, pause }) => {
    await sql(`create or replace function refuse() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
    await sql('create trigger refuse before insert on dlq_events for each row execute function refuse()');
    await pause(errorsMs);
    await sql('drop trigger refuse on dlq_events');
    return nothing;
  },
  'SIGTERM to both functions, with others in their places': async ({ replaceFunctions }) => {
    await replaceFunctions();
    return nothing;
  },
  [`SIGSTOP to a worker with events, for longer than its lease of ${leaseSeconds} s`]: ({ stopWorker }) =>
    stopWorker(),
};
