import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { watchActivity } from '../../local/terminal/activity.ts';
import type { LogEntry } from '../../shared/log.ts';

const noTally = {
  claimed: 0,
  delivered: 0,
  transient: 0,
  permanent: 0,
  ambiguous: 0,
  released: 0,
  stale: 0,
  failedPermanently: 0,
};

describe('the activity in the terminal of npm start', () => {
  let lines: string[];
  const terminal = { say: (speaker: string, text: string) => lines.push(`${speaker}: ${text}`) };
  const info = (message: string, fields: object): LogEntry => ({ severity: 'INFO', message, ...fields });
  const capture = (sourceKind: string, captured: number, duplicates = 0) =>
    info('captured', { action: 'capture', captured, duplicates, sourceKind });
  const tick = (tally: object, unrouted = 0) =>
    info('claimed', { action: 'tick', tally: { ...noTally, ...tally }, unrouted });

  beforeEach(() => {
    lines = [];
  });

  it('sums up captures by kind', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
    const activity = watchActivity(terminal);

    for (const kind of ['pubsub', 'report', 'pubsub']) activity.read('capture', capture(kind, 1));
    activity.read('capture', capture('report', 0, 1));
    assert.deepEqual(lines, []);
    context.mock.timers.tick(400);
    assert.deepEqual(lines, ['capture: captured 3 events: 2 pubsub, 1 report; ignored 1 duplicate']);

    activity.read('capture', capture('pubsub', 1));
    context.mock.timers.tick(2000);
    assert.equal(lines.length, 1, 'sums are 5 s apart');
    context.mock.timers.tick(3000);
    assert.equal(lines[1], 'capture: captured 1 event: pubsub');
  });

  it('shows only ticks that claimed events, after the captures before them', () => {
    const activity = watchActivity(terminal);

    activity.read('retry', tick({}));
    activity.read('capture', capture('pubsub', 2));
    activity.read(
      'retry',
      tick({
        claimed: 9,
        delivered: 3,
        transient: 2,
        ambiguous: 1,
        permanent: 1,
        failedPermanently: 2,
        stale: 2,
      }),
    );
    activity.read('retry', tick({ claimed: 2, delivered: 2 }));

    assert.deepEqual(lines, [
      'capture: captured 2 events: all pubsub',
      'retry: retried 9 events: 3 delivered, 2 still failing, 2 failed permanently, 2 settled too late',
      'retry: retried 2 events: all delivered',
    ]);
  });

  it('reports once that events have no route', () => {
    const activity = watchActivity(terminal);

    for (const unrouted of [0, 2, 3]) activity.read('retry', tick({}, unrouted));

    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /retry: 2 events without a route.*ROUTES/);
  });

  it('hides entries about single events and metrics', () => {
    const activity = watchActivity(terminal);

    activity.read('retry', { severity: 'WARNING', message: 'event 7 failed permanently', eventId: '7' });
    activity.read('maintain', info('metrics', { action: 'metrics' }));

    assert.deepEqual(lines, []);
  });

  it('shows other messages, and a repeated error once', () => {
    const activity = watchActivity(terminal);
    const error: LogEntry = { severity: 'ERROR', message: 'The database cannot be reached.' };

    for (const entry of [info('replayed 1 event', {}), error, error]) activity.read('replay', entry);

    assert.deepEqual(lines, ['replay: replayed 1 event', 'replay: The database cannot be reached.']);
  });
});
