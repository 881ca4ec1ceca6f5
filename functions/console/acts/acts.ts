import { discard } from '../../replay/acts/discard.ts';
import { reopen } from '../../replay/acts/reopen.ts';
import { reprioritise } from '../../replay/acts/reprioritise.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import type { Visit } from '../visit.ts';
import { callOperation } from './call-operation.ts';

/** What people do to events by a filter: the operation of the replay API, and words for it. */
export const acts = {
  discard: {
    operation: discard,
    statuses: ['PENDING', 'PROCESSING', 'FAILED_PERMANENTLY'],
    verb: 'Discard',
    done: 'discarded',
    meaning: 'Nothing delivers them any more; they are kept, and can be reopened.',
    tone: 'danger',
  },
  reopen: {
    operation: reopen,
    statuses: ['FAILED_PERMANENTLY', 'DISCARDED'],
    verb: 'Reopen',
    done: 'open again',
    meaning: 'They are due now, with all their retries before them.',
    tone: 'primary',
  },
  reprioritise: {
    operation: reprioritise,
    statuses: ['PENDING', 'PROCESSING'],
    verb: 'Reprioritise',
    done: 'reprioritised',
    meaning: 'Of those that are due, the lower priority goes first; 0 is what events have otherwise.',
    tone: 'primary',
  },
} as const;

export type ActName = keyof typeof acts;

/** What an act came to, or would come to. */
export type ActResult = { readonly changed: number; readonly leased: number; readonly remaining: number };

/** Calls the operation of the API, as its caller. Throws what it throws. */
export function callAct(
  deps: ConsoleDeps,
  visit: Visit,
  { name, body }: { name: ActName; body: object },
): Promise<ActResult> {
  return callOperation(acts[name].operation(deps), visit, body);
}
