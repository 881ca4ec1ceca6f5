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

/** How fast a replay goes: its sentence, and its fields. */
export const paces = {
  careful: {
    name: 'Careful',
    says: '1 event, then it waits for you; then steps of 5, 20 and 100.',
    fields: { canary: '1', ramp: '1, 5, 20, 100', stopAbove: '10' },
  },
  normal: {
    name: 'Normal',
    says: 'Steps of 10, 50 and 200, each of which must pass; then all.',
    fields: { ramp: '10, 50, 200', stopAbove: '50' },
  },
  gentle: {
    name: 'Gentle',
    says: 'At most 10 a second. Pauses above 50 % failures.',
    fields: { rate: '10', stopAbove: '50' },
  },
  fast: {
    name: 'Fast',
    says: 'At the limits of the target at once. Pauses above 50 % failures.',
    fields: { stopAbove: '50' },
  },
} as const satisfies Record<string, { name: string; says: string; fields: ReplayForm }>;

export type PaceName = keyof typeof paces;

export function isPaceName(name: string | undefined): name is PaceName {
  return name !== undefined && Object.hasOwn(paces, name);
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
  const paced = isPaceName(pace) ? { ...form, ...paces[pace].fields } : form;
  return Object.hasOwn(starts, start) ? { ...paced, ...starts[start as keyof typeof starts].fields } : paced;
}
