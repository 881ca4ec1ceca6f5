import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { described, object, text, textOrNull, time, timeOrNull } from '../response-values.ts';
import { maskDetails } from './masking/mask-request.ts';
import { listMasks, type MaskRules } from './masking/mask-rules.ts';

/** An action of an operator. */
export const AuditEntrySchema = v.strictObject({
  id: text,
  at: time,
  actor: described(text, 'Who: an email address, or another authenticated name.'),
  action: text,
  reason: textOrNull,
  runId: textOrNull,
  eventId: described(textOrNull, 'The event, if the action is on this one alone.'),
  details: described(object, 'The request, such as its filter.'),
  title: described(textOrNull, 'The error, by its title or fingerprint, if the action was on one.'),
  outcome: described(
    v.nullable(object),
    'The result of an action that takes time; null before it ends, and for other actions.',
  ),
  endedAt: timeOrNull,
});

export type AuditEntry = Readonly<v.InferOutput<typeof AuditEntrySchema>>;

/** Whether an action edited messages: of one event, or by the patch of a run. */
export function isEdit({ action, details }: Pick<AuditEntry, 'action' | 'details'>): boolean {
  return action === 'edit' || (details as { readonly edited?: unknown }).edited === true;
}

/** The actions to list; each term that is left out matches all. */
export type AuditTerms = {
  readonly eventId?: string | undefined;
  readonly runId?: string | undefined;
  readonly fingerprint?: string | undefined;
  /** A part of the actor's name, in upper or lower case. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** ISO 8601. */
  readonly since?: string | undefined;
};

type Page = { readonly before: string; readonly max: number };

const listRows = statement<
  Page & { readonly [Term in keyof AuditTerms]-?: NonNullable<AuditTerms[Term]> | null },
  AuditEntry
>('list-audit');

/** Actions from the newest on, with an id below `before`; masked values of their requests are hidden. */
export async function listAudit(
  { db, ...rules }: { readonly db: Database } & MaskRules,
  terms: AuditTerms,
  page: Page,
): Promise<AuditEntry[]> {
  const { eventId = null, runId = null, fingerprint = null } = terms;
  const { actor = null, action = null, since = null } = terms;
  const rows = await listRows(db, { eventId, runId, fingerprint, actor, action, since, ...page });
  const paths = listMasks(rules);
  return rows.map((row) => ({ ...row, details: maskDetails(row.details, paths) }));
}
