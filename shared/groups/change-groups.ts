import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { operatorText, requiredText } from '../events/actions/operator-text.ts';
import { log } from '../log.ts';
import { DueTimeSchema, resolveDueTime } from '../time-text.ts';
import type { GroupState } from './error-groups.ts';

const plain = {
  owner: v.optional(operatorText(200, 'Who works on it; empty: nobody.')),
  note: v.optional(operatorText(10_000, 'What is known of it; empty: nothing.')),
  reason: v.optional(operatorText(1000, 'Why; recorded in the audit.')),
};

const MutedSchema = v.strictObject({
  ...plain,
  state: v.literal('MUTED'),
  mutedUntil: v.pipe(
    DueTimeSchema,
    v.transform((time) => new Date(resolveDueTime(time, new Date()))),
    v.check((time) => time > new Date(), 'Must be in the future.'),
  ),
});

/** The changes that an operator may make to an error group. REGRESSED is set by the service only. */
export const GroupChangeSchema = v.variant(
  'state',
  [
    MutedSchema,
    v.strictObject({ ...plain, state: v.optional(v.picklist(['OPEN', 'ACKNOWLEDGED', 'RESOLVED'])) }),
  ],
  'Use OPEN, ACKNOWLEDGED, MUTED or RESOLVED.',
);

export type GroupChange = v.InferOutput<typeof GroupChangeSchema>;

/** The fingerprint of an error group in a request. */
export const FingerprintSchema = requiredText(100, 'A fingerprint of the group.', 'Give a fingerprint.');

const maxGroups = 100;

/** A request to change several error groups in the same way, such as those of one incident. */
export const GroupChangesSchema = v.strictObject({
  fingerprints: v.pipe(
    v.array(FingerprintSchema, 'Give a list of fingerprints.'),
    v.minLength(1, 'Give at least one fingerprint.'),
    v.maxLength(maxGroups, `Give at most ${maxGroups} fingerprints.`),
    v.description('One fingerprint of each group.'),
  ),
  change: GroupChangeSchema,
});

const changeGroupColumns = statement<
  {
    fingerprints: readonly string[];
    actor: string;
    state: string | null;
    owner: string | null;
    note: string | null;
    reason: string | null;
    mutedUntil: Date | null;
  },
  { readonly fingerprint: string; readonly state: GroupState }
>('change-groups');

/**
 * Changes state, owner or note of error groups, and records each change in the audit. Returns the
 * fingerprints of those that it changed, merged ones as the group that they are merged into.
 */
export async function changeGroups(
  db: Database,
  fingerprints: readonly string[],
  { actor, ...change }: GroupChange & { readonly actor: string },
): Promise<string[]> {
  const { state = null, owner = null, note = null } = change;
  const mutedUntil = change.state === 'MUTED' ? change.mutedUntil : null;
  const values = { state, owner, note, reason: change.reason || null, mutedUntil };
  const changed = await changeGroupColumns(db, { fingerprints, actor, ...values });
  for (const group of changed)
    log('INFO', `error group changed: ${group.state}`, { action: 'group', ...group });
  return changed.map(({ fingerprint }) => fingerprint);
}
