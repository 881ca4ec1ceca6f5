import * as v from 'valibot';
import { check, unwrap } from '../config/validate.ts';
import type { Database } from '../database/database.ts';
import { reasonEntry } from '../events/actions/read-action.ts';
import { changeGroup } from './error-groups.ts';

const maxGroups = 100;

/** A request to mute several error groups, such as those of one incident. */
export const MuteSchema = v.strictObject({
  fingerprints: v.pipe(
    v.array(v.pipe(v.string(), v.maxLength(100)), 'Give a list of fingerprints.'),
    v.minLength(1, 'Give at least one fingerprint.'),
    v.maxLength(maxGroups, `Give at most ${maxGroups} fingerprints.`),
  ),
  mutedUntil: v.pipe(
    v.string('Give a time in ISO 8601.'),
    v.isoTimestamp('Give a time in ISO 8601, such as 2026-01-02T03:04:05Z.'),
  ),
  reason: reasonEntry,
});

/** Mutes error groups, and records each in the audit. Returns the fingerprints of those that exist. Throws InputError. */
export async function muteGroups(
  db: Database,
  { body, actor }: { readonly body: unknown; readonly actor: string },
): Promise<string[]> {
  const { fingerprints, mutedUntil, reason } = unwrap(check(MuteSchema, body));
  const muted: string[] = [];
  // In one order: two requests must not lock groups in different ones.
  for (const fingerprint of [...new Set(fingerprints)].sort()) {
    const change = { state: 'MUTED', mutedUntil: new Date(mutedUntil), reason, actor } as const;
    if (await changeGroup(db, fingerprint, change)) muted.push(fingerprint);
  }
  return muted;
}
