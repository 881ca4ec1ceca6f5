import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { coalesceCaptures, type Store } from '../../../functions/capture/coalesce-captures.ts';
import { DatabaseUnavailableError } from '../../../shared/errors.ts';
import { aCapture } from '../../support/captures.ts';

/** A store that notes what came together, and fails where it is told to. */
function aStore(failFor: (keys: readonly string[]) => Error | undefined = () => undefined) {
  const statements: string[][] = [];
  const store: Store = async (captures) => {
    const keys = captures.map(({ eventKey }) => eventKey);
    statements.push(keys);
    await new Promise((resolve) => setImmediate(resolve));
    const error = failFor(keys);
    if (error) throw error;
    return keys.map((key) => ({ id: key, event_key: key, is_new: true }));
  };
  return { statements, store };
}

const captures = (...keys: string[]) => keys.map((eventKey) => aCapture({ eventKey }));

function coalesce(store: Store): Store {
  const capture = coalesceCaptures(store);
  return (captures) => new Promise((resolve, reject) => capture({ captures, resolve, reject }));
}

describe('concurrent captures', () => {
  it('share the next statement while one is on its way', async () => {
    const { statements, store } = aStore();
    const capture = coalesce(store);
    await Promise.all(['a', 'b', 'c'].map((key) => capture(captures(key))));
    assert.deepEqual(statements, [['a'], ['b', 'c']]);
  });

  it('each learn of their own events only', async () => {
    const capture = coalesce(aStore().store);
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

  it('fail alone where one row is refused', async () => {
    const { store } = aStore((keys) => (keys.includes('bad') ? new Error('refused') : undefined));
    const capture = coalesce(store);
    const ends = await Promise.allSettled(['a', 'bad', 'c'].map((key) => capture(captures(key))));
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  it('fail together and at once while the database is away', async () => {
    const { statements, store } = aStore(() => new DatabaseUnavailableError(new Error('gone')));
    const capture = coalesce(store);
    const ends = await Promise.allSettled(['a', 'b', 'c'].map((key) => capture(captures(key))));
    assert.ok(ends.every(({ status }) => status === 'rejected'));
    assert.equal(statements.length, 2);
  });

  it('are told to come back once too many bytes wait', async () => {
    const capture = coalesce(aStore().store);
    const large = { body: Buffer.alloc(100 * 2 ** 20) };
    const ends = await Promise.allSettled(
      ['a', 'b', 'c'].map((eventKey) => capture([aCapture({ eventKey, ...large })])),
    );
    const refused = ends.filter(
      (end) => end.status === 'rejected' && end.reason instanceof DatabaseUnavailableError,
    );
    assert.equal(refused.length, 1);
  });
});
