import {
  discard,
  discardable,
  reopen,
  reopenable,
  reprioritizable,
  reprioritize,
} from '../../../shared/events/actions/actions.ts';
import { type ActionResult, runOrPreview } from '../../../shared/events/actions/run-action.ts';
import { guardProbes } from '../../../shared/events/masking/guard-probes.ts';
import type { ConsoleDeps, PageContext } from '../page.ts';

/** The actions of operators on events by a filter, and the texts of their pages. */
export const actions = {
  discard: {
    read: discard,
    statuses: discardable,
    verb: 'Discard',
    done: 'discarded',
    becomes: 'DISCARDED',
    effect: 'Discarded events are no longer delivered. They are kept and can be reopened.',
    tone: 'danger',
  },
  reopen: {
    read: reopen,
    statuses: reopenable,
    verb: 'Reopen',
    done: 'reopened',
    becomes: 'PENDING',
    effect: 'Reopened events are due now, with all their retries left, and are sent as they were captured.',
    tone: 'primary',
  },
  reprioritize: {
    read: reprioritize,
    statuses: reprioritizable,
    verb: 'Reprioritize',
    done: 'reprioritized',
    becomes: undefined,
    effect: 'Of the due events, those with the lowest number are retried first; the default is 0.',
    tone: 'primary',
  },
} as const;

export type ActionName = keyof typeof actions;

/**
 * Runs an action for an operator, or previews it (`dryRun`). Throws InputError, ForbiddenError and the errors
 * of runAction.
 */
export async function requestAction(
  deps: ConsoleDeps,
  { caller, now }: PageContext,
  { name, body }: { readonly name: ActionName; readonly body: object },
): Promise<ActionResult> {
  const requested = actions[name].read(deps.db, { body, actor: caller.name, now });
  await guardProbes(deps, caller, requested.action);
  return runOrPreview(deps, requested);
}
