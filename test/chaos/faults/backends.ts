import { setTimeout as sleep } from 'node:timers/promises';
import { leaseSeconds } from '../deployment.ts';
import { becomes, type Effect, type FaultKind, type Inflict, type Scene, waitMs } from './fault.ts';

type Backend = { readonly pid: number; readonly client_port: number; readonly application_name: string };

const ofFunctions = `from pg_stat_activity
  where datname = current_database() and application_name in ('capture', 'retry', 'replay', 'maintain')`;

/** The instance behind a backend: the proxy knows its port. */
function ownerOf({ deployment }: Scene, { client_port: port }: Backend) {
  const isOwn = (each: { readonly link: { readonly connections: Iterable<{ port: number }> } }) =>
    [...each.link.connections].some((connection) => connection.port === port);
  const owner = deployment.processes.find(isOwn);
  const connection = [...(owner?.link.connections ?? [])].find((each) => each.port === port);
  return { owner, connection };
}

function effectOn(scene: Scene, backends: readonly Backend[]): Effect {
  const names = backends.map((each) => ownerOf(scene, each).owner?.name() ?? each.application_name);
  return { on: backends.map(({ pid }, i) => `backend ${pid} of ${names[i]}`).join(', '), workers: names };
}

/** Does something to backends that run a statement at that moment, in the statement that finds them. */
const toActive =
  (action: string, max: number): Inflict =>
  async (scene) => {
    let hit: Backend[] = [];
    await becomes(async () => {
      hit = await scene.deployment.server.sql<Backend>(
        // Materialized, or PostgreSQL may do it to other sessions before it compares their names.
        `with active as materialized (
           select pid, client_port, application_name ${ofFunctions} and state = 'active' limit ${max}
         )
         select * from active where ${action}`,
      );
      return hit.length > 0;
    }, waitMs);
    return hit.length > 0 ? effectOn(scene, hit) : undefined;
  };

/** Stops one backend, as a hung disk does. */
const hang: Inflict = async (scene) => {
  const { sql } = scene.deployment.server;
  const find = `select pid, client_port, application_name ${ofFunctions} order by state = 'active' desc, random() limit 1`;
  const [backend] = await sql<Backend>(find);
  if (!backend) return undefined;
  process.kill(backend.pid, 'SIGSTOP');
  const effect = effectOn(scene, [backend]);
  const { connection } = ownerOf(scene, backend);
  const endsAt = Date.now() + scene.dice.between(500, 9500);
  let wasAwaited = false;
  // A backend that is stopped while it writes the log stops the whole server: that may last a moment only.
  const commit = sql('select pg_current_xact_id()').then(
    () => false,
    () => false,
  );
  const isServerHung = await Promise.race([commit, sleep(1000, true)]);
  while (Date.now() < endsAt && !isServerHung && !connection?.isClosed) {
    wasAwaited ||= connection?.isInUse === true;
    await sleep(20);
  }
  wasAwaited ||= connection?.isInUse === true || connection?.isClosed === true;
  await sleep(Math.max(0, isServerHung ? 0 : endsAt - Date.now()));
  process.kill(backend.pid, 'SIGCONT');
  if (isServerHung) return { on: `${effect.on} and the server`, workers: 'all' };
  return wasAwaited ? effect : undefined;
};

const kill: Inflict = async (scene) => {
  const { sql } = scene.deployment.server;
  const find = `select pid, client_port, application_name ${ofFunctions} order by state = 'active' desc, random() limit 1`;
  const [backend] = await sql<Backend>(find);
  if (!backend) return undefined;
  process.kill(backend.pid, 'SIGKILL');
  // PostgreSQL ends all other sessions and recovers.
  const from = Date.now();
  await becomes(
    () =>
      sql('select').then(
        () => true,
        () => false,
      ),
    20_000,
  );
  return {
    on: `backend ${backend.pid}, and with it all sessions`,
    workers: 'all',
    until: Math.max(from, Date.now()),
  };
};

type Locked = { readonly id: string };

/** Locks events that are being delivered, until after their answers or after their leases. */
const lockDeliveries =
  (ms: (scene: Scene) => number): Inflict =>
  async (scene) => {
    const { server } = scene.deployment;
    const session = await server.session();
    try {
      await session.sql('begin');
      let rows: string[] = [];
      const lock = async () => {
        const locked = await session.sql<Locked>(
          `select id from dlq_events where status = 'PROCESSING' order by random() limit 3 for update skip locked`,
        );
        rows = locked.map(({ id }) => id);
        return rows.length > 0;
      };
      if (!(await becomes(lock, waitMs))) return undefined;
      const from = Date.now();
      await sleep(ms(scene));
      const { deliveries } = scene.deployment.ledger;
      // An answer may have come just before the lock, and wait for its settlement.
      const answeredFrom = from - leaseSeconds * 1000;
      const ended = deliveries.filter(
        ({ row, endedAt }) => rows.includes(row) && (endedAt ?? 0) > answeredFrom,
      );
      await session.sql('commit');
      return ended.length > 0 ? { on: `rows ${rows}`, rows } : undefined;
    } finally {
      await session.end();
    }
  };

/** Locks events, while one of them is sent again. */
const lockCaptured: Inflict = async (scene) => {
  const { server } = scene.deployment;
  const session = await server.session();
  try {
    await session.sql('begin');
    await session.sql(`select from dlq_events order by id desc limit 30 for update skip locked`);
    const isHeldUp = async () => {
      const waiting = `select ${ofFunctions} and wait_event_type = 'Lock'`;
      return (await server.sql(waiting)).length > 0;
    };
    const wasHeldUp = await becomes(isHeldUp, waitMs);
    await sleep(wasHeldUp ? scene.dice.between(0, 3000) : 0);
    await session.sql('commit');
    return wasHeldUp ? { on: 'captures of the latest 30 events', workers: 'all' } : undefined;
  } finally {
    await session.end();
  }
};

export const backendFaults = {
  'statement cancelled': { weight: 8, inflict: toActive('pg_cancel_backend(pid)', 3) },
  'backend terminated': { weight: 8, inflict: toActive('pg_terminate_backend(pid)', 3) },
  'backend hung': { weight: 3, inflict: hang },
  'backend: SIGKILL': { weight: 1, inflict: kill },
  'delivered events locked': { weight: 3, inflict: lockDeliveries(({ dice }) => dice.between(300, 3000)) },
  'delivered events locked past their lease': {
    weight: 1,
    inflict: lockDeliveries(({ dice }) => leaseSeconds * 1000 + dice.between(500, 2500)),
  },
  'captured events locked': { weight: 3, inflict: lockCaptured },
} satisfies Record<string, Omit<FaultKind, 'lane'>>;
