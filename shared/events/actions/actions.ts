import { statement } from '../../database/statement.ts';
import type { Status } from '../event.ts';
import { filteredStatement } from '../filter/filtered-statement.ts';

/** Records the actor and reason of an action in the audit; `lastEventId` is the newest event that it covers. */
export const openAction = statement<
  { actor: string; action: string; reason: string; details: string },
  { readonly id: string; readonly lastEventId: string }
>('open-action', import.meta.url);

/** Records the outcome of an action in the audit. */
export const closeAction = statement<
  { actor: string; action: string; auditId: string; details: string },
  never
>('close-action', import.meta.url);

/** `priority` excludes events that have it already; null excludes none. */
type Scope = { readonly upTo: string; readonly priority: number | null };

/** The number of events that an action would change, by status. */
export const estimateEvents = filteredStatement<
  Scope,
  { readonly status: Status; readonly events: number; readonly isLeased: boolean }
>('estimate-events', import.meta.url);

/** The next `max` ids that an action changes, in ascending order. */
export const selectEvents = filteredStatement<
  Scope & { after: string; max: number },
  { readonly id: string }
>('select-events', import.meta.url);

type Change = { readonly ids: readonly string[]; readonly auditId: string };
type Changed = { readonly changed: number };

export const discardEvents = filteredStatement<Change, Changed>('discard-events', import.meta.url);
export const reopenEvents = filteredStatement<Change, Changed>('reopen-events', import.meta.url);
export const reprioritizeEvents = filteredStatement<Change & { readonly priority: number }, Changed>(
  'reprioritize-events',
  import.meta.url,
);
