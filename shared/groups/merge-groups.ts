import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { ConflictError, InputError } from '../errors.ts';
import { reasonEntry } from '../events/actions/operator-text.ts';
import { log } from '../log.ts';
import { FingerprintSchema } from './change-groups.ts';
import { type Group, requireGroup } from './error-groups.ts';
import { RuleSchema } from './split-by-rule.ts';

export const MergeSchema = v.strictObject({
  into: v.pipe(FingerprintSchema, v.description('The fingerprint of the error group that remains.')),
  reason: reasonEntry,
});

/** Splits off by a rule, or without one splits a merged group off again. */
export const SplitSchema = v.strictObject({
  by: v.optional(v.pipe(RuleSchema, v.description('Without it, a merged group is split off again.'))),
  reason: reasonEntry,
});

/** Fingerprints of one group: a filter names all of them. */
const maxMembers = 100;

type Change = { readonly fingerprint: string; readonly actor: string; readonly reason: string };

/** Without `into` it splits a group off again from the `other` one. */
const setMerged = statement<Change & { into: string | null }, { readonly other: string }>('merge-group');

/**
 * Merges an error group into another one, which also gets all its later failures. Returns the other one.
 * Throws NotFoundError, InputError for a group and itself, and ConflictError if one of them has been merged
 * or is too large.
 */
export async function mergeGroup(
  db: Database,
  { into: wanted, ...change }: Change & { readonly into: string },
): Promise<Group> {
  const [source, into] = [await requireGroup(db, change.fingerprint), await requireGroup(db, wanted)];
  if (source.fingerprint === into.fingerprint) {
    const remedy = 'Both are one error group already: give another one.';
    throw new InputError([{ field: 'into', value: wanted, remedy }]);
  }
  if (source.fingerprint !== change.fingerprint) {
    throw new ConflictError(`${change.fingerprint} is merged into ${source.fingerprint}: split it first.`);
  }
  if (source.members.length + into.members.length > maxMembers) {
    throw new ConflictError(`A group has at most ${maxMembers} merged groups: mute or resolve this one.`);
  }
  const merged = await setMerged(db, { ...change, into: into.fingerprint }).catch(rethrowConflict);
  if (merged.length === 0) throw changedMeanwhile();
  log('INFO', `error group merged: ${change.fingerprint}`, { action: 'merge group', into: into.fingerprint });
  return requireGroup(db, into.fingerprint);
}

/**
 * Splits a merged error group off again. Returns it. Throws NotFoundError, and ConflictError if it is not
 * merged.
 */
export async function splitGroup(db: Database, change: Change): Promise<Group> {
  await requireGroup(db, change.fingerprint);
  const [split] = await setMerged(db, { ...change, into: null });
  if (!split) throw new ConflictError(`${change.fingerprint} is not merged into another error group.`);
  log('INFO', `error group split: ${change.fingerprint}`, { action: 'split group', from: split.other });
  return requireGroup(db, change.fingerprint);
}

/** Another group was merged into the one that is merged here, at the same moment. */
function rethrowConflict(error: unknown): never {
  const isForeignKey = error instanceof Error && 'code' in error && error.code === '23503';
  throw isForeignKey ? changedMeanwhile() : error;
}

function changedMeanwhile(): ConflictError {
  return new ConflictError(
    'Another operator merged one of these error groups at the same moment: try again.',
  );
}
