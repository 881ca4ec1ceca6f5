import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, it } from 'node:test';
import { showActivity } from '../../local/terminal/activity.ts';
import { openTerminal } from '../../local/terminal/terminal.ts';
import type { LogEntry } from '../../shared/log.ts';

describe('the activity in the terminal of npm start', () => {
  let lines: string[];
  const terminal = { say: (speaker: string, text: string) => lines.push(`${speaker}: ${text}`) };
  const info = (message: string, fields: object): LogEntry => ({ severity: 'INFO', message, ...fields });
  const capture = (captured: number) => info(`captured ${captured} from report`, { action: 'capture' });
  const tick = (claimed: number, unrouted = 0) =>
    info(`claimed ${claimed}`, { action: 'tick', tally: { claimed }, unrouted });

  beforeEach(() => {
    lines = [];
  });

  it('shows captures, and only ticks that claimed events', () => {
    const show = showActivity(terminal);

    show('retry', tick(0));
    show('capture', capture(2));
    for (const claimed of [9, 2]) show('retry', tick(claimed));

    assert.deepEqual(lines, ['capture: captured 2 from report', 'retry: claimed 9', 'retry: claimed 2']);
  });

  it('reports once that events have no route', () => {
    const show = showActivity(terminal);

    for (const unrouted of [0, 2, 3]) show('retry', tick(0, unrouted));

    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /retry: 2 events without a route.*ROUTES/);
  });

  it('prints no control characters, which may be in the words of an event', async () => {
    const stdout = new PassThrough();
    openTerminal(stdout as unknown as NodeJS.WriteStream).say('maintain', 'Causes:\n- \u001b[2Jgone\r');
    assert.match(await text(stdout.end()), /^\S+ {2}maintain Causes:\n +- {2}\[2Jgone \n$/);
  });

  it('hides entries about single events and metrics', () => {
    const show = showActivity(terminal);

    show('retry', { severity: 'WARNING', message: 'event 7 failed permanently', eventId: '7' });
    show('maintain', info('metrics', { action: 'metrics' }));

    assert.deepEqual(lines, []);
  });

  it('shows other messages, and a repeated error once', () => {
    const show = showActivity(terminal);
    const error: LogEntry = { severity: 'ERROR', message: 'The database cannot be reached.' };

    for (const entry of [info('replayed 1 event', {}), error, error]) show('replay', entry);

    assert.deepEqual(lines, ['replay: replayed 1 event', 'replay: The database cannot be reached.']);
  });
});
