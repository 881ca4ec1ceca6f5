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
  'rate',
  'ramp',
  'canary',
  'stopAbove',
  'startAt',
  'notAfter',
  'start',
  'waitForTarget',
  'toHeldTargets',
  'patch',
  'reason',
] as const;

export type ReplayForm = Readonly<Partial<Record<(typeof replayFields)[number], string>>>;

/**
 * Reads the form, without its empty fields. A pace that was chosen since the form was shown replaces the own
 * one; otherwise own fields come first.
 */
export function readReplayForm(fields: URLSearchParams): ReplayForm {
  const given = replayFields.map((name) => [name, fields.get(name)?.trim() ?? ''] as const);
  const form: ReplayForm = Object.fromEntries(given.filter(([, value]) => value !== ''));
  const isChosen = fields.get('pace') !== fields.get('shownPace');
  if (isPaceName(form.pace) && (isChosen || !hasOwnPace(form)))
    return { ...withoutPace(form), pace: form.pace };
  const { pace: _, ...own } = form;
  return own;
}

/** The fields that decide which events are replayed, with which content, and to which target. */
const selectionFields = ['q', 'includeSucceeded', 'includeDiscarded', 'target', 'patch'] as const;

/** The selection of a form as text, to tell whether it has changed since its preview. */
export function serializeSelection(form: ReplayForm): string {
  return JSON.stringify(selectionFields.map((name) => form[name] ?? ''));
}

/** The fields that say which events are replayed, and not how fast. */
export function withoutPace({
  pace: _,
  rate: __,
  ramp: ___,
  canary: ____,
  stopAbove: _____,
  ...others
}: ReplayForm): ReplayForm {
  return others;
}

/** The fields of a pace. */
export function toFields({ canary, ramp, ratePerSecond: rate, gate }: Rollout): ReplayForm {
  return {
    ...(canary !== undefined && { canary: String(canary) }),
    ...(ramp !== undefined && { ramp: ramp.join(', ') }),
    ...(rate !== undefined && { rate: String(rate) }),
    stopAbove: String(gate ? gate.maxFailureRatio * 100 : 100),
  };
}

export function isPaceName(name: string | undefined): name is Pace {
  return paceNames.some((each) => each === name);
}

/** What to do while a target gets no deliveries, with the fields of each. */
export const starts = {
  wait: { says: 'Wait until it is back', fields: { waitForTarget: 'on' } },
  one: { says: 'Send 1 event to find out', fields: { canary: '1', toHeldTargets: 'on' } },
  anyway: { says: 'Send all, although it is', fields: { toHeldTargets: 'on' } },
} as const satisfies Record<string, { says: string; fields: ReplayForm }>;

/** Whether a form has fields of a pace of its own. */
export function hasOwnPace({ rate, ramp, canary, stopAbove = '50' }: ReplayForm): boolean {
  return stopAbove !== '50' || [rate, ramp, canary].some(Boolean);
}

/** The form with the fields of its pace and of its start. */
export function applyChoices(form: ReplayForm): ReplayForm {
  const { pace, start = '' } = form;
  const paced = isPaceName(pace) ? { ...form, ...toFields(paces[pace].rollout) } : form;
  return Object.hasOwn(starts, start) ? { ...paced, ...starts[start as keyof typeof starts].fields } : paced;
}
