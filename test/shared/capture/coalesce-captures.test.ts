import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { coalesceCaptures, type Store } from '../../../shared/capture/coalesce-captures.ts';
import { DatabaseUnavailableError } from '../../../shared/errors.ts';
import { aCapture } from '../../support/captures.ts';

/** A store that records the event keys of each statement, and fails those for which `failFor` returns an error. */
function aStore(failFor: (keys: readonly string[]) => Error | undefined = () => undefined) {
  const statements: string[][] = [];
  const store: Store = async (captures) => {
    const keys = captures.map(({ eventKey }) => eventKey);
    statements.push(keys);
    await setImmediate();
    const error = failFor(keys);
    if (error) throw error;
    return keys.map((key) => ({ id: key, isNew: true, conflictsWith: null }));
  };
  return { statements, store };
}

const lockTimeout = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

/** A statement that was due has been sent. */
const whenSent = () => new Promise<void>((resolve) => process.nextTick(resolve));

const captures = (...keys: string[]) => keys.map((eventKey) => aCapture({ eventKey }));

describe('concurrent captures', () => {
  it('share the next statement while one statement runs', async () => {
    const { statements, store } = aStore();
    const capture = coalesceCaptures(store);
    const first = capture(captures('a'));
    await whenSent();
    await Promise.all([first, ...['b', 'c'].map((key) => capture(captures(key)))]);
    assert.deepEqual(statements, [['a'], ['b', 'c']]);
  });

  it('each get the results of their own events only', async () => {
    const capture = coalesceCaptures(aStore().store);
    const answers = await Promise.all([
      capture(captures('a')),
      capture(captures('b', 'c')),
      capture(captures('c')),
    ]);
    assert.deepEqual(
      answers.map((stored) => stored.map(({ id }) => id)),
      [['a'], ['b', 'c'], ['c']],
    );
  });

  it('fail alone for a row that PostgreSQL rejects', async () => {
    const { store } = aStore((keys) => (keys.includes('bad') ? new Error('rejected') : undefined));
    const capture = coalesceCaptures(store);
    const ends = await Promise.allSettled(['a', 'bad', 'c'].map((key) => capture(captures(key))));
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('fail together after one statement while the database is unavailable', async () => {
    const { statements, store } = aStore(() => new DatabaseUnavailableError(new Error('gone')));
    const capture = coalesceCaptures(store);
    const ends = await Promise.allSettled(['a', 'b', 'c'].map((key) => capture(captures(key))));
    assert.ok(ends.every(({ status }) => status === 'rejected'));
    assert.deepEqual(statements, [['a', 'b', 'c']]);
  });

  it('are rejected as unavailable while 128 MiB are queued', async () => {
    const capture = coalesceCaptures(aStore().store);
    const large = { body: Buffer.alloc(60 * 2 ** 20) };
    const ends = await Promise.allSettled(
      ['a', 'b', 'c'].map((eventKey) => capture([{ ...aCapture({ eventKey }), ...large }])),
    );
    const rejected = ends.filter(
      (end) => end.status === 'rejected' && end.reason instanceof DatabaseUnavailableError,
    );
    assert.equal(rejected.length, 1);
  });

  it('go on in another statement while one is slow', async () => {
    const silent = Promise.withResolvers<never>();
    const { store } = aStore();
    const capture = coalesceCaptures((all) => (all[0]?.eventKey === 'silent' ? silent.promise : store(all)));
    const failed = assert.rejects(capture(captures('silent')), DatabaseUnavailableError);
    await whenSent();
    await Promise.all(['a', 'b'].map((key) => capture(captures(key))));
    await capture(captures('c'));

    silent.reject(new DatabaseUnavailableError(new Error('silent')));
    await failed;
  });

  it('run no more statements at once than there are connections', async () => {
    let running = 0;
    const capture = coalesceCaptures(() => {
      running += 1;
      return new Promise(() => {});
    }, 3);
    const large = { body: Buffer.alloc(2 ** 18) };
    for (const eventKey of ['a', 'b', 'c', 'd', 'e']) void capture([{ ...aCapture({ eventKey }), ...large }]);
    await whenSent();
    assert.equal(running, 3);
  });

  it('are stored while another one waits for a locked row, and that one once it is free', async () => {
    let isLocked = true;
    const { statements, store } = aStore((keys) =>
      isLocked && keys.includes('locked') ? new DatabaseUnavailableError(lockTimeout) : undefined,
    );
    const capture = coalesceCaptures(store);
    const first = capture(captures('first'));
    const locked = capture(captures('locked'));
    await Promise.all([first, ...['a', 'b', 'c', 'd'].map((key) => capture(captures(key)))]);
    const later = capture(captures('locked', 'later'));
    await capture(captures('e'));
    isLocked = false;

    assert.deepEqual(
      (await locked).map(({ id }) => id),
      ['locked'],
    );
    assert.deepEqual(
      (await later).map(({ id }) => id),
      ['locked', 'later'],
    );
    const isMixed = (keys: readonly string[]) => keys.includes('locked') && keys.includes('e');
    assert.ok(!statements.some(isMixed), 'a row that is known to be locked delays no other request');
  });
});
