import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { watchActivity } from '../../local/terminal/activity.ts';

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

describe('what the terminal shows of the functions', () => {
  let lines: string[];
  const terminal = {
    say: (speaker: string, text: string) => lines.push(`${speaker}: ${text}`),
    print: (text: string) => lines.push(text),
  };
  const capture = (sourceKind: string, captured: number, duplicates = 0) =>
    JSON.stringify({
      severity: 'INFO',
      message: 'captured',
      act: 'capture',
      captured,
      duplicates,
      sourceKind,
    });
  const tick = (tally: object, unrouted = 0) =>
    JSON.stringify({
      severity: 'INFO',
      message: 'claimed',
      act: 'tick',
      tally: { ...noTally, ...tally },
      unrouted,
    });

  beforeEach(() => {
    lines = [];
  });

  it('sums captures up by kind', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
    const activity = watchActivity(terminal);

    for (const kind of ['pubsub', 'report', 'pubsub']) activity.read('capture', capture(kind, 1));
    activity.read('capture', capture('report', 0, 1));
    assert.deepEqual(lines, []);
    context.mock.timers.tick(400);
    assert.deepEqual(lines, [
      'capture: captured 3 events: 2 pubsub, 1 report; 1 event had been captured before',
    ]);

    activity.read('capture', capture('pubsub', 1));
    context.mock.timers.tick(2000);
    assert.equal(lines.length, 1, 'lines keep their distance');
    context.mock.timers.tick(3000);
    assert.equal(lines[1], 'capture: captured 1 event: pubsub');
  });

  it('shows ticks that did something, after the captures before them, and no others', () => {
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
      'retry: tried 9 events: 3 delivered, 2 will be tried again, 2 failed permanently, 2 settled too late',
      'retry: tried 2 events: all delivered',
    ]);
  });

  it('tells once that events have no route', () => {
    const activity = watchActivity(terminal);

    for (const unrouted of [0, 2, 3]) activity.read('retry', tick({}, unrouted));

    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /retry: 2 events without a route.*ROUTES/);
    assert.equal(activity.countUnrouted(), 3);
  });

  it('leaves to the log what is said of single events and of figures', () => {
    const activity = watchActivity(terminal);
    const say = (act: string) => JSON.stringify({ severity: 'WARNING', message: 'gave up event 7', act });
    for (const act of ['give up', 'metrics']) activity.read('retry', say(act));

    assert.deepEqual(lines, []);
  });

  it('passes on what is no act, and repeats no complaint', () => {
    const activity = watchActivity(terminal);
    const complaint = JSON.stringify({ severity: 'ERROR', message: 'The database cannot be reached.' });

    for (const line of ['(node:7) Warning: x', '{"a":1}', complaint, complaint])
      activity.read('replay', line);

    assert.deepEqual(lines, ['(node:7) Warning: x', '{"a":1}', 'replay: The database cannot be reached.']);
  });
});
