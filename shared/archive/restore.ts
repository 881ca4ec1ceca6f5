import * as v from 'valibot';
import { validate } from '../config/validate.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { ActionRequest } from '../events/actions/define-action.ts';
import { reasonEntry } from '../events/actions/operator-text.ts';
import { EventIdsSchema } from '../events/event-id.ts';
import { log } from '../log.ts';
import { listOf, text } from '../response-values.ts';

const restoreEvents = statement<
  { ids: readonly string[]; actor: string; reason: string },
  { readonly auditId: string; readonly restored: readonly string[] }
>('restore-events');

export const RestoreSchema = v.strictObject({ ids: EventIdsSchema, reason: reasonEntry });

/** The ids of the events that are back in dlq_events, and the entry of the audit if there are any. */
export const RestoredSchema = v.strictObject({ auditId: v.exactOptional(text), restored: listOf(text) });

/** Moves archived events back unchanged, unless they were captured again. Throws InputError. */
export async function restore(db: Database, { body, actor }: ActionRequest) {
  const [result] = await restoreEvents(db, { ...validate(RestoreSchema, body), actor });
  const { restored, ...entry } = result ?? { restored: [] };
  log('INFO', `restore: events restored: ${restored.length}`, { action: 'restore', ...entry });
  return { restored, ...entry };
}
