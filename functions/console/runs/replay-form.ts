import { type Pace, paceNames, paces } from '../../../shared/replay/pace.ts';
import type { Rollout } from '../../../shared/replay/rollout.ts';

/** The fields of the form; all except `q` are optional. */
const replayFields = [
  'q',
  'asOf',
  'includeSucceeded',
  'includeDiscarded',
  'target',
  'pace',
  'start',
  'startAt',
  'notAfter',
  'patch',
  'reason',
] as const;

export type ReplayForm = Readonly<Partial<Record<(typeof replayFields)[number], string>>>;

/** Reads the form, without its empty fields. */
export function readReplayForm(fields: URLSearchParams): ReplayForm {
  const given = replayFields.map((name) => [name, fields.get(name)?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** The fields that decide which events are replayed, with which content, and to which target. */
const selectionFields = ['q', 'includeSucceeded', 'includeDiscarded', 'target', 'patch'] as const;

/** The selection of a form as text, to tell whether it has changed since its preview. */
export function serializeSelection(form: ReplayForm): string {
  return JSON.stringify(selectionFields.map((name) => form[name] ?? ''));
}

/** What to do while a target gets no deliveries, with the fields of a request for each. */
export const starts: Readonly<Record<string, { readonly says: string; readonly fields: Partial<Rollout> }>> =
  {
    wait: { says: 'Wait until it is back', fields: { waitForTarget: true } },
    one: { says: 'Send 1 event to find out', fields: { canary: 1, toHeldTargets: true } },
    anyway: { says: 'Send all, although it is', fields: { toHeldTargets: true } },
  };

/** The pace that a rollout is; undefined for one that only the API offers. */
export function paceOf(rollout: Rollout): Pace | undefined {
  const print = ({ canary, ramp, ratePerSecond, gate }: Rollout) =>
    JSON.stringify([canary, ramp, ratePerSecond, gate ? gate.maxFailureRatio : 1]);
  return paceNames.find((name) => print(paces[name].rollout) === print(rollout));
}
