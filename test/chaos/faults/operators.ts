import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Action } from '../ledger.ts';
import type { Effect, FaultKind, Inflict, Scene } from './fault.ts';

/** Picks events among the latest that senders know to be captured. */
function pickRows({ deployment, dice }: Scene, count: number, isOrdered?: boolean): string[] {
  const known = [...deployment.ledger.sent.values()]
    .slice(-400)
    .filter(
      ({ rows, key }) => rows.size === 1 && (isOrdered === undefined || (key !== undefined) === isOrdered),
    )
    .flatMap(({ rows }) => [...rows]);
  return [...new Set(Array.from({ length: Math.min(count, known.length) }, () => dice.pick(known)))];
}

let lastReason = 0;

type Wanted = Pick<Action, 'action' | 'rows'> & {
  readonly path: string;
  readonly body?: object;
  /** Whether an event that was delivered may be delivered once more. */
  readonly isAgain?: boolean;
};

/** Sends an action to the API as an operator, with a reason of its own, and records what came of it. */
async function act({ deployment }: Scene, { action, rows, path, body, isAgain }: Wanted) {
  const { ledger } = deployment;
  const reason = `${action} ${++lastReason}`;
  const at = Date.now();
  if (isAgain) for (const row of rows) ledger.requests.push({ row, at, by: reason });
  const [api] = deployment.of('replay');
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, reason }),
  };
  const response = await api?.request(path, init).catch(() => undefined);
  const isOk = response !== undefined && response.status < 300;
  const answer = isOk ? JSON.parse(response.text) : undefined;
  ledger.actions.push({ action, reason, rows, answer });
  return answer;
}

const byRows = (rows: readonly string[], status?: readonly string[]) => ({
  filter: { ids: rows, ...(status && { status }) },
});

/** Picks events that are in one of these states now. */
async function pickInState({ deployment }: Scene, ...states: readonly string[]): Promise<string[]> {
  const text = 'select id from dlq_events where status = any ($1) order by random() limit 5';
  return (await deployment.server.sql<{ id: string }>(text, [states])).map(({ id }) => id);
}

/** The statuses of events that a replay or a reopening may send again. */
const again = ['PENDING', 'PROCESSING', 'FAILED_PERMANENTLY', 'SUCCEEDED'] as const;

/** An action on some events, which takes effect if it changes any. */
const change =
  (
    action: 'discard' | 'reopen' | 'reprioritize',
    pick: (scene: Scene) => Promise<string[]>,
    more: (scene: Scene) => object = () => ({}),
    status?: readonly string[],
  ): Inflict =>
  async (scene) => {
    const rows = await pick(scene);
    const body = { ...byRows(rows, status), ...more(scene) };
    const isAgain = status !== undefined;
    const answer = await act(scene, { action, rows, path: `/events/${action}`, body, isAgain });
    return answer?.changed > 0 ? { on: `rows ${rows}`, rows } : undefined;
  };

const sumOf = (answers: readonly ({ progress?: { selected: number } } | undefined)[]): number =>
  answers.reduce((sum, answer) => sum + (answer?.progress?.selected ?? 0), 0);

type CreatedRun = { readonly id: string; readonly progress: { readonly selected: number } };

function createRun(
  scene: Scene,
  rows: readonly string[],
  more: object = {},
): Promise<CreatedRun | undefined> {
  const body = { ...byRows(rows, again), pace: 'ungated', ...more };
  return act(scene, { action: 'replay', rows, path: '/runs', body, isAgain: true });
}

/** Requests a worker for a replay as Pub/Sub does, and waits until it ends. */
async function work({ deployment, dice }: Scene, run: CreatedRun | undefined): Promise<void> {
  const worker = dice.pick(deployment.of('retry'));
  const data = Buffer.from(JSON.stringify({ runId: run?.id })).toString('base64');
  const init = { method: 'POST', body: JSON.stringify({ message: { data } }) };
  if (run) await worker?.request('/', init).catch(() => undefined);
}

const namedTwice: Inflict = async (scene) => {
  const rows = pickRows(scene, 3, false);
  const runs = await Promise.all([createRun(scene, rows), createRun(scene, rows)]);
  await Promise.all(runs.map((run) => work(scene, run)));
  return sumOf(runs) > 0 ? { on: `rows ${rows}`, rows } : undefined;
};

const byTwo: Inflict = async (scene) => {
  const rows = pickRows(scene, 15);
  const runs = await Promise.all([createRun(scene, rows), createRun(scene, rows)]);
  await Promise.all([...runs, ...runs].map((run) => work(scene, run)));
  return sumOf(runs) > 0 ? { on: `rows ${rows}`, rows } : undefined;
};

const interrupted: Inflict = async (scene) => {
  const { dice } = scene;
  const rows = pickRows(scene, 20);
  const run = await createRun(scene, rows, { ratePerSecond: 10 });
  if (!run) return undefined;
  const working = work(scene, run);
  const changes: unknown[] = [];
  for (const each of dice.pick([['pause', 'resume'], ['pause', 'cancel'], ['cancel']])) {
    await sleep(dice.between(50, 700));
    const changed = await act(scene, { action: each, rows: [], path: `/runs/${run.id}/${each}`, body: {} });
    // A change that may not have happened leaves nothing for the next one to do.
    if (!changed) break;
    changes.push(changed);
  }
  await working;
  return changes.length > 0 ? { on: `run ${run.id}`, rows } : undefined;
};

const edit: Inflict = async (scene) => {
  const rows = pickRows(scene, 1, false);
  const [row = ''] = rows;
  const body = `{"edited": ${++lastReason}, "row": ${row || 0}}`;
  const digest = createHash('sha256').update(body).digest('hex');
  scene.deployment.ledger.edits.add(digest);
  const run = await createRun(scene, rows, { edit: { body } });
  await work(scene, run);
  const { deliveries } = scene.deployment.ledger;
  return deliveries.some((each) => each.digest === digest) ? { on: `row ${row}`, rows } : undefined;
};

const hold: Inflict = async (scene) => {
  const { deployment, dice } = scene;
  const url = `${deployment.target.url}/${dice.pick(['all', 'ordered', 'fragile'])}`;
  const path = (verb: string) => `/targets/${encodeURIComponent(url)}/${verb}`;
  const held = await act(scene, { action: 'hold', rows: [], path: path('hold'), body: {} });
  await sleep(dice.between(500, 2000));
  const release = async () => act(scene, { action: 'release', rows: [], path: path('release'), body: {} });
  // Also if the answer to the hold was lost.
  while (await isHeld(scene, url)) if (!(await release())) await sleep(200);
  return held ? { on: url } : undefined;
};

async function isHeld({ deployment }: Scene, target: string): Promise<boolean> {
  const text = 'select from dlq_breakers where target = $1 and held_at is not null';
  return (await deployment.server.sql(text, [target]).catch(() => [1])).length > 0;
}

const sqlUpdate: Inflict = async (scene) => {
  const { server, ledger } = scene.deployment;
  const rows = pickRows(scene, 5, false);
  for (const row of rows) ledger.requests.push({ row, at: Date.now(), by: 'SQL' });
  const changed = await server.sql(
    `update dlq_events set status = 'PENDING', retry_after = now()
     where id = any ($1::bigint[]) and status in ('FAILED_PERMANENTLY', 'SUCCEEDED', 'DISCARDED') returning id`,
    [rows],
  );
  return changed.length > 0 ? { on: `rows ${rows}`, rows } : undefined;
};

const sqlDelete: Inflict = async (scene) => {
  const { server, ledger } = scene.deployment;
  const rows = pickRows(scene, 2, false);
  // Before it is known: the connection may break after the commit.
  for (const row of rows) ledger.deleted.add(row);
  const gone = await server.sql('delete from dlq_events where id = any ($1::bigint[]) returning id', [rows]);
  return gone.length > 0 ? { on: `rows ${rows}`, rows } : undefined;
};

/** Requests to functions which the platform sends more than once, or at the same time. */
const atOnce =
  (role: 'retry' | 'maintain', count: number): Inflict =>
  async ({ deployment }): Promise<Effect | undefined> => {
    const all = deployment.of(role).filter((each) => each.isReady());
    const answers = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        all[i % all.length]?.request('/', { method: 'POST' }).then(
          ({ status }) => status,
          () => 0,
        ),
      ),
    );
    return answers.filter((status) => status === 200).length === count
      ? { on: `${count} requests` }
      : undefined;
  };

export const operatorFaults = {
  'events discarded': {
    weight: 4,
    inflict: change('discard', (scene) => pickInState(scene, 'PENDING', 'FAILED_PERMANENTLY')),
  },
  'events reopened': {
    weight: 3,
    inflict: change('reopen', (scene) => pickInState(scene, 'DISCARDED', 'FAILED_PERMANENTLY')),
  },
  'delivered events reopened': {
    weight: 2,
    inflict: change('reopen', async (scene) => pickRows(scene, 5), undefined, again),
  },
  'events reprioritized': {
    weight: 3,
    inflict: change(
      'reprioritize',
      (scene) => pickInState(scene, 'PENDING'),
      ({ dice }) => ({ priority: Math.round(dice.between(-5, 5)) }),
    ),
  },
  'named replay twice at once': { weight: 3, inflict: namedTwice },
  'replay by two operators at once': { weight: 3, inflict: byTwo },
  'replay paused or cancelled during deliveries': { weight: 4, inflict: interrupted },
  'edited replay': { weight: 4, inflict: edit },
  'target held and released': { weight: 2, inflict: hold },
  'events reopened with SQL': { weight: 4, inflict: sqlUpdate },
  'events deleted with SQL': { weight: 2, inflict: sqlDelete },
  'three ticks at once': { weight: 3, inflict: atOnce('retry', 3) },
  'daily jobs during deliveries': { weight: 2, inflict: atOnce('maintain', 1) },
  'target refuses connections': {
    weight: 3,
    inflict: async ({ deployment, dice }) => {
      const refused = await deployment.target.refuse(dice.between(200, 1500));
      return refused > 0 ? { on: `${refused} connections` } : undefined;
    },
  },
} satisfies Record<string, Omit<FaultKind, 'lane'>>;
