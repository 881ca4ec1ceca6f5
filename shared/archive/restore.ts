import * as v from 'valibot';
import { validate } from '../config/validate.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { ActionRequest } from '../events/actions/define-action.ts';
import { reasonEntry } from '../events/actions/operator-text.ts';
import { EventIdsSchema } from '../events/event-id.ts';
import { log } from '../log.ts';
import { listOf, text } from '../response-values.ts';

/** Ids that are not in the archive, or whose events were captured again since, are not restored. */
const restoreEvents = statement<
  { ids: readonly string[]; actor: string; reason: string },
  { readonly auditId: string; readonly restored: readonly string[] }
>('restore-events');

export const RestoreSchema = v.strictObject({ ids: EventIdsSchema, reason: reasonEntry });

/** The entry of the audit, and the ids of the events that are back in dlq_events. */
export const RestoredSchema = v.strictObject({ auditId: text, restored: listOf(text) });

/** Moves archived events back unchanged, unless they were captured again. Throws InputError. */
export async function restore(db: Database, { body, actor }: ActionRequest) {
  const [result] = await restoreEvents(db, { ...validate(RestoreSchema, body), actor });
  const { auditId, restored } = result ?? { auditId: '', restored: [] };
  log('INFO', `restore: events restored: ${restored.length}`, { action: 'restore', auditId });
  return { auditId, restored };
}
