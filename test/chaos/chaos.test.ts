import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { pickVariant } from '../support/sample.ts';
import { isItsTurn } from '../support/taken-in-turn.ts';
import { waitUntil } from '../support/wait-until.ts';
import { calmDown } from './calm.ts';
import { openDeployment } from './deployment.ts';
import { openDice } from './dice.ts';
import { findDoubles } from './invariants/doubles.ts';
import { invariants } from './invariants/invariants.ts';
import type { Ledger } from './ledger.ts';
import { inflictUntilEffective, planLane } from './plan.ts';
import { look, type Seen } from './seen.ts';
import { startSenders } from './senders.ts';
import { openSql } from './server.ts';

const seed = 26;

/**
 * Faults that pass within moments, in lanes that go on at the same time: one of each lane, and nightly all.
 * `npm run chaos` has all faults, for longer.
 */
const lanes = [
  ['worker: SIGKILL'],
  ['capture: SIGTERM', 'three ticks at once'],
  ['connection cut in use', 'connections refused'],
  ['statement cancelled', 'captured events locked', 'backend terminated', 'disk full'],
  ['events discarded', 'edited replay', 'events reopened with SQL'],
].map((kinds, lane) => pickVariant(`lane ${lane}`, kinds));

/** The faults of senders and of the target. */
const ownFaults = [/^a sender repeats a request$/, /^a sender gives up within its request$/, /^the target /];

/** The kinds of the faults that took effect. */
function effectiveOf({ faults }: Ledger): string[] {
  return faults.filter(({ effect }) => effect !== undefined).map(({ kind }) => kind);
}

describe('a slice of chaos', { skip: !isItsTurn('chaos') }, () => {
  const database = useDatabase();
  let seen: Seen;
  before(async () => {
    // After many reset sockets, Node.js may wait for their handles forever.
    process.on('exit', (code) => process.exit(code));
    await using resources = new AsyncDisposableStack();
    const { url, sql, session, close } = openSql(database().url);
    resources.defer(close);
    const restart = () => Promise.reject(new Error('Other suites use the server.'));
    const deployment = await openDeployment({
      name: 'slice',
      server: { url, sql, session, restart },
      seed,
      roles: ['capture', 'retry', 'retry', 'replay'],
      dice: openDice(seed, 'slice'),
    });
    resources.defer(deployment.stop);
    const { ledger } = deployment;
    const captures = deployment.of('capture');
    const stopSenders = startSenders({
      ledger,
      captures,
      seed,
      name: 'slice',
      plain: 3,
      ordered: 2,
      pauseMs: 250,
    });
    resources.defer(async () => void (await stopSenders()));
    await Promise.all(
      lanes.map(async (kinds, lane) => {
        for (const [i, kind] of kinds.entries()) {
          await inflictUntilEffective(deployment, kind, (n) => openDice(seed, `slice ${lane} ${i} ${n}`));
        }
      }),
    );
    await waitUntil('senders and the target have done what they do now and then', () =>
      ownFaults.every((name) => effectiveOf(ledger).some((kind) => name.test(kind))),
    );
    await stopSenders();
    await calmDown(deployment);
    seen = await look(deployment);
  });

  it('takes effect with each fault of its lanes, and with those of senders and targets', () => {
    const found = effectiveOf(seen.ledger);
    const missing = [
      ...lanes.flat().filter((name) => !found.includes(name)),
      ...ownFaults.filter((name) => !found.some((kind) => name.test(kind))),
    ];
    assert.deepEqual(missing, []);
  });

  it('doubles deliveries, so that explanations are put to the test', () => {
    assert.ok(findDoubles(seen).length > 0);
  });

  for (const [name, find] of Object.entries(invariants)) {
    it(`leaves no ${name}`, () => {
      assert.deepEqual(find(seen), []);
    });
  }
});

describe('the plan of a seed', () => {
  it('is the same each time, and another one for another seed', () => {
    const first = (of: number) => {
      const planned = [];
      for (const { kind, afterMs } of planLane(of, 'a 1', 'backends')) {
        if (planned.push([kind, afterMs]) === 50) return planned;
      }
    };
    assert.deepEqual(first(1), first(1));
    assert.notDeepEqual(first(1), first(2));
  });
});
