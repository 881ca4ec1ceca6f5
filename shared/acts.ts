import type { Status } from './events.ts';
import { filteredStatement } from './filtered-statement.ts';
import { statement } from './sql.ts';

/** Says who begins what, and why; `upTo` is the last event that it is about. */
export const openAct = statement<
  { actor: string; act: string; reason: string; details: string },
  { readonly id: string; readonly last_event_id: string }
>('open-act');

export const closeAct = statement<{ actor: string; act: string; auditId: string; details: string }, never>(
  'close-act',
);

/** `priority`: leaves out the events that have it already. */
type Reach = { readonly upTo: string; readonly priority: number | null };

export const surveyEvents = filteredStatement<
  Reach,
  { readonly status: Status; readonly events: number; readonly is_leased: boolean }
>('survey-events');

export const chooseEvents = filteredStatement<
  Reach & { after: string; most: number },
  { readonly id: string }
>('choose-events');

type Change = { readonly ids: readonly string[]; readonly auditId: string };
type Changed = { readonly changed: number };

export const discardEvents = filteredStatement<Change, Changed>('discard-events');
export const reopenEvents = filteredStatement<Change, Changed>('reopen-events');
export const reprioritiseEvents = filteredStatement<Change & { readonly priority: number }, Changed>(
  'reprioritise-events',
);
