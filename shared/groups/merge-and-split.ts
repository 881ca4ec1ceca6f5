import { hash } from 'node:crypto';
import * as v from 'valibot';
import { type GroupRule, ruleEntries } from '../config/group-rules.ts';
import type { Database } from '../database/database.ts';
import { type Batch, repeatBatches } from '../database/repeat-batches.ts';
import { statement } from '../database/statement.ts';
import { toStorableText } from '../database/storable-text.ts';
import { errorCodeOf, unlessLocked } from '../database/unavailable.ts';
import { ConflictError, InputError } from '../errors.ts';
import { reasonEntry } from '../events/actions/operator-text.ts';
import { nameFailure } from '../fingerprint/fingerprint.ts';
import { log } from '../log.ts';
import { count, described, listOf, text } from '../response-values.ts';
import { FingerprintSchema } from './change-groups.ts';
import { type Group, requireGroup, type Said, toFailure } from './error-groups.ts';

/** The rule of a split: a value that its events have. */
export const RuleSchema = v.strictObject({
  ...ruleEntries,
  value: v.pipe(ruleEntries.value, v.transform(toStorableText)),
});

export type Rule = v.InferOutput<typeof RuleSchema>;

export const MergeSchema = v.strictObject({
  into: described(FingerprintSchema, 'The fingerprint of the error group that remains.'),
  reason: reasonEntry,
});

/** Splits off by a rule, or without one splits a merged group off again. */
export const SplitSchema = v.strictObject({
  by: v.optional(described(RuleSchema, 'Without it, a merged group is split off again.')),
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
  const merged = await setMerged(db, { ...change, into: into.fingerprint }).catch((error: unknown) => {
    // Another group was merged into the one that is merged here: a foreign key rejects it.
    if (errorCodeOf(error) === '23503') return [];
    throw error;
  });
  if (merged.length === 0)
    throw new ConflictError('Another operator merged one of them at the same moment: try again.');
  log('INFO', `error group merged: ${change.fingerprint}`, { action: 'merge group', into: into.fingerprint });
  return requireGroup(db, into.fingerprint);
}

/** Splits a merged error group off again. Returns it. Throws NotFoundError; ConflictError if it is none. */
export async function splitGroup(db: Database, change: Change): Promise<Group> {
  await requireGroup(db, change.fingerprint);
  const [split] = await setMerged(db, { ...change, into: null });
  if (!split) throw new ConflictError(`${change.fingerprint} is not merged into another error group.`);
  log('INFO', `error group split: ${change.fingerprint}`, { action: 'split group', from: split.other });
  return requireGroup(db, change.fingerprint);
}

const part = v.strictObject({ events: count, titles: listOf(text) });

/** Both parts of a group, of its latest 10,000 events. */
export const SplitPreviewSchema = v.strictObject({ with: part, without: part });

export type SplitPreview = v.InferOutput<typeof SplitPreviewSchema>;

const readParts = statement<
  Rule & { members: readonly string[] },
  { readonly hasValue: boolean; readonly events: number; readonly failures: readonly Said[] }
>('preview-split');

const addRule = statement<Change & Rule & { origin: string }, { readonly fingerprint: string }>(
  'split-by-rule',
);

const moveBatch = statement<{ limit: number }, Batch>('move-to-parts');

/** Makes the rules of the configuration those of later failures; others that it had before end. */
export const setConfiguredRules = statement<{ rules: readonly GroupRule[] }, never>('set-configured-rules');

/** Each takes up to half a millisecond, with a long stack trace. */
const batchSize = 2000;
const maxTitles = 3;

/** Returns what a rule would split. Changes nothing. Throws NotFoundError. */
export async function previewSplit(db: Database, fingerprint: string, rule: Rule): Promise<SplitPreview> {
  const { members } = await requireGroup(db, fingerprint);
  const parts = await readParts(db, { ...rule, members });
  const find = (hasValue: boolean) => {
    const { events = 0, failures = [] } = parts.find((each) => each.hasValue === hasValue) ?? {};
    const titles = failures.flatMap((said) => toFailure(said) ?? []).map((said) => nameFailure(said).title);
    return { events, titles: [...new Set(titles)].slice(0, maxTitles) };
  };
  return { with: find(true), without: find(false) };
}

/**
 * Splits the events with a value off a group, of which later failures with it are no part either. Compares
 * its latest events for ten seconds now. Merging the new group back undoes it. Returns the new group. Throws
 * NotFoundError, InputError unless both parts have events, and ConflictError after a merge of the group.
 */
export async function splitByRule(
  db: Database,
  { fingerprint, rule, ...act }: Change & { readonly rule: Rule },
): Promise<Group> {
  const { fingerprint: origin } = await requireGroup(db, fingerprint);
  const preview = await previewSplit(db, origin, rule);
  if (preview.with.events === 0 || preview.without.events === 0) {
    const remedy = `${preview.with.events === 0 ? 'No' : 'Every'} event of this error has it: give a value that only one part has.`;
    throw new InputError([{ field: 'by.value', value: rule.value, remedy }]);
  }
  const name = JSON.stringify([origin, rule.field, rule.value]);
  const part = { ...rule, fingerprint: `part:${hash('sha256', name).slice(0, 16)}` };
  const added = await addRule(db, { ...part, ...act, origin });
  if (added.length === 0) throw new ConflictError(`${origin} was merged into another error meanwhile.`);
  const compared = await repeatBatches(batchSize, () => moveToParts(db));
  log('INFO', `error group split: ${origin}`, { action: 'split group', into: part.fingerprint, compared });
  return requireGroup(db, part.fingerprint);
}

/**
 * Compares up to 2,000 more events with a rule by which an operator split their group, and moves those that
 * have its value. Returns how many it compared; nothing while another session keeps one locked.
 */
export function moveToParts(db: Database): Promise<Batch[]> {
  return unlessLocked(moveBatch(db, { limit: batchSize }), []);
}
