import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../server.ts';
import type { Effect, FaultKind, Inflict, Scene } from './fault.ts';

const countErrors = ({ deployment }: Scene, code: string): number =>
  deployment.processes.reduce((sum, { link }) => sum + (link.errors.get(code) ?? 0), 0);

/** Runs `during` and reports how many statements of functions ended with an SQLSTATE meanwhile. */
async function untilErrors(
  scene: Scene,
  code: string,
  during: () => Promise<unknown>,
): Promise<Effect | undefined> {
  const before = countErrors(scene, code);
  await during();
  const errors = countErrors(scene, code) - before;
  return errors > 0 ? { on: `${errors} statements with ${code}`, workers: 'all' } : undefined;
}

const restart =
  (signal: NodeJS.Signals): Inflict =>
  async ({ deployment, dice }) => {
    const broken = deployment.processes.flatMap(({ link }) => [...link.connections]).length;
    await deployment.server.restart(signal, dice.between(0, 1000));
    return broken > 0 ? { on: `${broken} connections`, workers: 'all' } : undefined;
  };

const readOnly: Inflict = (scene) => {
  const { sql } = scene.deployment.server;
  return untilErrors(scene, '25006', async () => {
    await sql('alter system set default_transaction_read_only = on');
    await sql('select pg_reload_conf()');
    await sleep(scene.dice.between(500, 3000));
    await insist(sql, 'alter system reset default_transaction_read_only');
    await insist(sql, 'select pg_reload_conf()');
  });
};

/** Every insert or update of some rows ends as on a full disk. */
const diskFull: Inflict = (scene) => {
  const { sql } = scene.deployment.server;
  const table = scene.dice.pick(['dlq_events', 'dlq_attempts', 'dlq_leases', 'dlq_count_deltas']);
  return untilErrors(scene, '53100', async () => {
    await insist(
      sql,
      `create or replace function chaos_disk_full() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
    );
    await insist(
      sql,
      `create or replace trigger chaos_disk_full before insert or update on ${table}
      execute function chaos_disk_full()`,
    );
    await sleep(scene.dice.between(500, 3000));
    await insist(sql, `drop trigger if exists chaos_disk_full on ${table}`);
  });
};

/** Runs a statement until it succeeds: other faults may restart the server, or hold what it locks. */
async function insist(sql: Sql, text: string): Promise<void> {
  for (;;) {
    try {
      await sql(text);
      return;
    } catch {
      await sleep(50);
    }
  }
}

const exhaust: Inflict = (scene) => {
  const { sql } = scene.deployment.server;
  return untilErrors(scene, '53300', async () => {
    await sql('alter role chaos connection limit 1');
    await sql(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'chaos'`);
    await sleep(scene.dice.between(500, 2500));
    await insist(sql, 'alter role chaos connection limit -1');
  });
};

/** Runs statements while functions wait for what they lock. */
const hold =
  (run: (sql: Sql, scene: Scene) => Promise<unknown>): Inflict =>
  async (scene) => {
    const { server } = scene.deployment;
    const session = await server.session();
    let isOver = false;
    let waited = 0;
    const watching = (async () => {
      const waiting = `select count(*)::int as count from pg_stat_activity
        where datname = current_database() and application_name in ('capture', 'retry', 'replay', 'maintain')
          and wait_event_type = 'Lock'`;
      for (; !isOver; await sleep(20)) {
        const [row] = await server.sql<{ count: number }>(waiting).catch(() => []);
        waited = Math.max(waited, row?.count ?? 0);
      }
    })();
    try {
      await run(session.sql, scene);
    } finally {
      isOver = true;
      await session.end();
      await watching;
    }
    return waited > 0 ? { on: `${waited} waiting statements`, workers: 'all' } : undefined;
  };

const lockTable = hold(async (sql, { dice }) => {
  await sql('begin');
  await sql(`lock table ${dice.pick(['dlq_events', 'dlq_runs', 'dlq_attempts'])} in access exclusive mode`);
  await sleep(dice.between(300, 3000));
  await sql('commit');
});

const lockRun = hold(async (sql, { dice }) => {
  await sql('begin');
  await sql('select from dlq_runs where ended_at is null for update');
  await sql('select from dlq_breakers for update');
  await sleep(dice.between(500, 7000));
  await sql('commit');
});

const rewrite = hold(async (sql) => {
  for (const each of ['vacuum full dlq_events', 'reindex table dlq_events', 'vacuum full dlq_runs'])
    await sql(each);
});

/** Creates the login of the functions, which has the rights of their roles and no other. */
export async function createLogin(sql: Sql, password: string): Promise<void> {
  await sql(
    `create role chaos login password '${password}' in role dlq_capture, dlq_retry, dlq_replay, dlq_maintain`,
  );
}

export const serverFaults = {
  'database: immediate restart': { weight: 2, inflict: restart('SIGQUIT') },
  'database: fast restart': { weight: 2, inflict: restart('SIGINT') },
  'database: SIGKILL': { weight: 1, inflict: restart('SIGKILL') },
  'database read-only': { weight: 3, inflict: readOnly },
  'disk full': { weight: 3, inflict: diskFull },
  'connections exhausted': { weight: 3, inflict: exhaust },
  'table locked': { weight: 3, inflict: lockTable },
  'run and breakers locked': { weight: 2, inflict: lockRun },
  'table rewritten': { weight: 2, inflict: rewrite },
} satisfies Record<string, Omit<FaultKind, 'lane'>>;
