import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { actionNames } from '../../functions/console/activity/action-words.ts';
import { ruleFields } from '../../shared/config/group-rules.ts';
import { attemptOutcomes, failureKinds } from '../../shared/delivery/targets/outcome.ts';
import { groupStates } from '../../shared/groups/error-groups.ts';
import { statuses } from '../../shared/message/event.ts';
import { outcomes } from '../../shared/replay/list-run-events.ts';
import { WhyNotNowSchema } from '../../shared/schedule/why-not-now.ts';

const cwd = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8');
const listTexts = (sql = '') => [...sql.matchAll(/'([\w -]+)'/g)].map(([, text = '']) => text).sort();

describe('a list of values that SQL has, too', () => {
  const schema = read('migrations/schema.sql');
  const checked: Readonly<Record<string, readonly string[]>> = {
    dlq_events_status: statuses,
    dlq_events_failure_kind: failureKinds,
    dlq_attempts_outcome: attemptOutcomes,
    dlq_run_events_outcome: outcomes,
    dlq_error_groups_state: groupStates,
    dlq_error_groups_split_field: ruleFields,
  };
  for (const [constraint, values] of Object.entries(checked)) {
    it(`is that of ${constraint}`, () => {
      const [, check] = new RegExp(`CONSTRAINT ${constraint} CHECK (.*)`).exec(schema) ?? [];
      assert.deepEqual(listTexts(check), values.toSorted());
    });
  }

  it('has each reason why an event does not go now', () => {
    const found = read('shared/schedule/why-not-now.sql') + read('migrations/009_order-of-keys.sql');
    const reasons = [...found.matchAll(/(?:then|else) ('[\w-]+')/g)].flatMap(([, text]) => listTexts(text));
    assert.ok(reasons.length > 8);
    // A closed event has no row in the statement.
    const [{ wrapped }] = WhyNotNowSchema.pipe;
    const known = ['closed', ...wrapped.entries.reason.options];
    assert.deepEqual(
      reasons.filter((reason) => !known.includes(reason)),
      [],
    );
  });

  it('has the words of each action that a statement records', () => {
    const recorded = globSync('shared/**/*.sql', { cwd }).flatMap((file) => {
      const [, insert] = read(file).split('insert into dlq_audit (');
      // The actor, and then the action.
      const actions = insert?.matchAll(/(?:values \(|select\s+)(?::actor[:\w]*,\s+)?(case.*? end|'[\w ]+')/g);
      return [...(actions ?? [])].flatMap(([, action = '']) =>
        listTexts(action.replace(/^case.*? then/, '')),
      );
    });
    assert.ok(recorded.length > 10);
    assert.deepEqual(
      recorded.filter((action) => !(action in actionNames)),
      [],
    );
  });
});
