import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { giveBack, takeLimits } from '../../../shared/delivery/limits.ts';
import type { EventGroup } from '../../../shared/delivery/picker.ts';
import { openWork } from '../../../shared/delivery/work-state.ts';
import { openDueEvents } from '../../../shared/schedule/due-events.ts';
import { useDatabase } from '../../support/database.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

describe('a tick', () => {
  const database = useDatabase();
  const hourMs = 3_600_000;
  const target = 'http://shop/';
  const aGroup = (cause: string | null): EventGroup => ({
    ...{ priority: 0, route: aRouteTo(target), target, cause, kind: 'a' },
    ...{ isOrdered: false, rates: [{ name: 'a rate', perSecond: 1 }], ids: [] },
  });
  const openTick = (hours: number) => {
    const deps = { db: database().db, retry: retryConfig(), routes: [] };
    const endsAt = Date.now() + hours * hourMs;
    return openWork(deps, { runId: null, picker: openDueEvents(deps, { dueAt: 'now' }), endsAt });
  };
  const aBreaker = (cause: number, columns: string, values: string) =>
    database().sql(
      `insert into dlq_breakers (target, cause, updated_at, ${columns})
       values ('${cause === -2 ? 'a rate' : target}', ${cause}, now(), ${values})`,
    );
  const isOpen = (cause: number) =>
    aBreaker(
      cause,
      'state, opened_at, cooldown_seconds, probe_after',
      `'OPEN', now(), 7200, now() + interval '1 hour'`,
    );
  const isPaused = () => aBreaker(0, 'pace, peak, paused_until', `1, 1, now() + interval '1 hour'`);
  const isHeld = () =>
    aBreaker(0, 'held_at, held_by, held_reason, held_until', `now(), 'ada', 'a release', 'infinity'`);
  const isPaced = () => aBreaker(0, 'pace, peak, tokens, paused_until', '100, 100, 100, now()');
  const hasRate = () => aBreaker(-2, 'pace, tokens', '1.0 / 3600, 0');
  const failed = '7';

  beforeEach(() => database().clear());

  for (const [what, given, { cause = null as string | null, hours = 2, closed = undefined as unknown }] of [
    ['waits for a target that is down with what has not failed there', () => isOpen(0), {}],
    [
      'leaves what has failed at a target that is down',
      () => isOpen(0),
      { cause: failed, closed: 'target down' },
    ],
    [
      'leaves what a target that is down takes after its end',
      () => isOpen(0),
      { hours: 0.5, closed: 'target down' },
    ],
    ['leaves what fails by itself', () => isOpen(7), { cause: failed, closed: 'cause fails' }],
    ['leaves what waits for a held target', isHeld, { closed: 'target held' }],
    ['waits for the end of a pause with all that its target gets', isPaused, { cause: failed }],
    [
      'leaves what a target takes after a pause beyond its end',
      isPaused,
      { hours: 0.5, closed: 'target down' },
    ],
    ['waits for a rate although its target takes one', () => Promise.all([isPaced(), hasRate()]), {}],
    ['waits for a rate beyond its end, and hands over', hasRate, { cause: failed, hours: 0.5 }],
  ] as const) {
    it(what, async () => {
      await given();
      const group = aGroup(cause);
      const { waitMs } = await takeLimits(openTick(hours), [{ id: '1', group }]);
      assert.deepEqual([group.closed, Math.round(waitMs / hourMs)], [closed, closed ? Infinity : 1]);
    });
  }

  it('leaves to others what a target takes in a second and this one does not use', async () => {
    await isPaced();
    const [tick, group] = [openTick(1), aGroup(null)];
    const wanted = Array.from({ length: 90 }, (_, id) => ({ id: `${id}`, group }));
    const granted = await takeLimits(tick, wanted);
    await giveBack(tick, granted, wanted.slice(0, 30));
    const [{ tokens } = {}] = await database().sql('select tokens from dlq_breakers');
    assert.ok(Number(tokens) >= 70, `${tokens} of 100 are left`);
  });
});
