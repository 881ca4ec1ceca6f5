import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { coalesceCaptures, type Store } from '../../../shared/capture/coalesce-captures.ts';
import { DatabaseUnavailableError } from '../../../shared/errors.ts';
import { aCapture } from '../../support/captures.ts';

/** A store that records the event keys of each statement, and fails those for which `failFor` returns an error. */
function aStore(failFor: (keys: readonly string[]) => Error | undefined = () => undefined) {
  const statements: string[][] = [];
  const store: Store = async (captures) => {
    const keys = captures.map(({ eventKey }) => eventKey);
    statements.push(keys);
    await new Promise((resolve) => setImmediate(resolve));
    const error = failFor(keys);
    if (error) throw error;
    return keys.map((key) => ({ id: key, isNew: true, conflictsWith: null }));
  };
  return { statements, store };
}

const captures = (...keys: string[]) => keys.map((eventKey) => aCapture({ eventKey }));

describe('concurrent captures', () => {
  it('share the next statement while one statement runs', async () => {
    const { statements, store } = aStore();
    const capture = coalesceCaptures(store);
    await Promise.all(['a', 'b', 'c'].map((key) => capture(captures(key))));
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
    assert.equal(statements.length, 2);
  });

  it('are rejected as unavailable while 128 MiB are queued', async () => {
    const capture = coalesceCaptures(aStore().store);
    const large = { body: Buffer.alloc(100 * 2 ** 20) };
    const ends = await Promise.allSettled(
      ['a', 'b', 'c'].map((eventKey) => capture([aCapture({ eventKey, ...large })])),
    );
    const rejected = ends.filter(
      (end) => end.status === 'rejected' && end.reason instanceof DatabaseUnavailableError,
    );
    assert.equal(rejected.length, 1);
  });
});
