import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { check } from '../../../shared/config/validate.ts';
import { GroupChangeSchema } from '../../../shared/groups/change-groups.ts';

describe('a change of an error group', () => {
  const refuse = (change: unknown) => {
    const checked = check(GroupChangeSchema, change);
    return checked.ok ? [] : checked.problems.map(({ field, remedy }) => `${field}: ${remedy}`);
  };

  it('may have an owner or a note alone', () => {
    assert.deepEqual(refuse({ owner: 'payments', note: '' }), []);
  });

  it('mutes until a time, or for a length of time', () => {
    assert.deepEqual(refuse({ state: 'MUTED', mutedUntil: '7d' }), []);
    assert.deepEqual(refuse({ state: 'MUTED', mutedUntil: '2998-01-02T03:04:05Z' }), []);
    assert.deepEqual(refuse({ state: 'MUTED' }), ['mutedUntil: Required: add it.']);
  });

  it('cannot mute until a time that has passed, or a day that no calendar has', () => {
    const mute = (mutedUntil: string) => refuse({ state: 'MUTED', mutedUntil });

    assert.deepEqual(mute('2020-01-02T03:04:05Z'), ['mutedUntil: Must be in the future.']);
    for (const time of ['2998-02-30T00:00:00Z', '2998-13-01T00:00:00Z'])
      assert.deepEqual(mute(time), [
        'mutedUntil: Give "now", how long from now: "5m", "1h30m", or a time such as "2025-11-01T10:00:00Z".',
      ]);
  });

  it('cannot set REGRESSED', () => {
    assert.deepEqual(refuse({ state: 'REGRESSED' }), [
      'state: Use one of "MUTED" | "OPEN" | "ACKNOWLEDGED" | "RESOLVED".',
    ]);
  });

  it('reports all invalid fields together', () => {
    const change = { state: 'MUTED', owner: 7, mutedUntil: 'tomorrow', owned: 'x' };

    assert.deepEqual(refuse(change).length, 3);
  });

  it('has no muting in another state', () => {
    assert.deepEqual(refuse({ state: 'OPEN', mutedUntil: '2026-01-02T03:04:05Z' }), [
      'mutedUntil: No such field: correct its name or remove it.',
    ]);
  });
});
