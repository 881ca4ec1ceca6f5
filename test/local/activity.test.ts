import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { watchActivity } from '../../local/terminal/activity.ts';
import type { LogEntry } from '../../shared/log.ts';

describe('the activity in the terminal of npm start', () => {
  let lines: string[];
  const terminal = { say: (speaker: string, text: string) => lines.push(`${speaker}: ${text}`) };
  const info = (message: string, fields: object): LogEntry => ({ severity: 'INFO', message, ...fields });
  const capture = (captured: number, duplicates = 0) =>
    info('captured', { action: 'capture', captured, duplicates });
  const tick = (claimed: number, unrouted = 0) =>
    info(`claimed ${claimed}`, { action: 'tick', tally: { claimed }, unrouted });

  beforeEach(() => {
    lines = [];
  });

  it('sums up the captures of a second', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const activity = watchActivity(terminal);

    for (const captured of [1, 2]) activity.read('capture', capture(captured));
    activity.read('capture', capture(0, 1));
    assert.deepEqual(lines, []);
    context.mock.timers.tick(1000);
    assert.deepEqual(lines, ['capture: captured 3 events; ignored 1 duplicate']);

    activity.read('capture', capture(1));
    context.mock.timers.tick(1000);
    assert.equal(lines[1], 'capture: captured 1 event');
  });

  it('shows only ticks that claimed events, after the captures before them', () => {
    const activity = watchActivity(terminal);

    activity.read('retry', tick(0));
    activity.read('capture', capture(2));
    for (const claimed of [9, 2]) activity.read('retry', tick(claimed));

    assert.deepEqual(lines, ['capture: captured 2 events', 'retry: claimed 9', 'retry: claimed 2']);
  });

  it('reports once that events have no route', () => {
    const activity = watchActivity(terminal);

    for (const unrouted of [0, 2, 3]) activity.read('retry', tick(0, unrouted));

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
