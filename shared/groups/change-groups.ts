import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { log } from '../log.ts';
import type { GroupState } from './error-groups.ts';
import { FingerprintSchema, type GroupChange, GroupChangeSchema } from './group-change.ts';

const maxGroups = 100;

/** A request to change several error groups in the same way, such as those of one incident. */
export const GroupChangesSchema = v.strictObject({
  fingerprints: v.pipe(
    v.array(FingerprintSchema, 'Give a list of fingerprints.'),
    v.minLength(1, 'Give at least one fingerprint.'),
    v.maxLength(maxGroups, `Give at most ${maxGroups} fingerprints.`),
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
>('change-groups', import.meta.url);

/**
 * Changes state, owner or note of error groups, and records each change in the audit. Returns the
 * fingerprints of the groups that exist, merged ones as the group that they are merged into.
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
