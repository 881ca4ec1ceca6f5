import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GroupChangeSchema } from '../../shared/group-change.ts';
import { check } from '../../shared/validate.ts';

describe('a change of an error group', () => {
  const refuse = (change: unknown) => {
    const checked = check(GroupChangeSchema, change);
    return checked.ok ? [] : checked.problems.map(({ field, remedy }) => `${field}: ${remedy}`);
  };

  it('may be of the owner or the note alone', () => {
    assert.deepEqual(refuse({ owner: 'payments', note: '' }), []);
  });

  it('mutes until a moment, for failures or until a rate, and says which', () => {
    assert.deepEqual(refuse({ state: 'MUTED', mutedUntil: '2026-01-02T03:04:05Z', mutedForFailures: 5 }), []);
    assert.deepEqual(refuse({ state: 'MUTED' }), [
      'body: Say until when: give mutedUntil, mutedForFailures or mutedUntilHourly, or several of them.',
    ]);
  });

  it('cannot make a group return, which it does by itself', () => {
    assert.deepEqual(refuse({ state: 'RETURNED' }), [
      'state: Use one of "MUTED" | "OPEN" | "ACKNOWLEDGED" | "RESOLVED".',
    ]);
  });

  it('that is wrong in several ways is told all of them', () => {
    const change = { state: 'MUTED', mutedForFailures: 0, mutedUntil: 'tomorrow', owned: 'x' };

    assert.deepEqual(refuse(change).length, 3);
  });

  it('mutes nothing where it does not mute', () => {
    assert.deepEqual(refuse({ state: 'OPEN', mutedForFailures: 5 }), [
      'mutedForFailures: No such field: correct its name or remove it.',
    ]);
  });
});
