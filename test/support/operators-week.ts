/** An event as the model predicts it. Times are in hours since the week began. */
export type Predicted = {
  readonly id: string;
  readonly editedFrom: string | null;
  readonly body: string;
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED_PERMANENTLY' | 'DISCARDED' | 'ARCHIVED';
  priority: number;
  retries: number;
  dueAt: number;
  deliveries: number;
  /** An edit is in its place. */
  isReplaced: boolean;
  /** Another one with each change: an undo returns only what nothing changed since. */
  version: number;
};

type Change = Partial<
  Pick<Predicted, 'status' | 'priority' | 'retries' | 'dueAt' | 'deliveries' | 'isReplaced'>
>;

/** An event with its state before an action and its version after it, and the edit in its place. */
type Changed = {
  readonly event: Predicted;
  readonly before: Predicted;
  readonly version: number;
  readonly edit?: { readonly event: Predicted; readonly version: number };
};

/** An action of the audit. */
export type Entry = { readonly auditId: string; readonly changes: readonly Changed[] };

/** Without jitter, so that the model knows the time; and no breaker opens. */
const backoffHours = 2;
const maxRetries = 3;
export const policy = {
  maxRetries,
  backoff: { kind: 'fixed', delaySeconds: backoffHours * 3600 },
  breaker: { minimumDeliveries: 100_000, consecutiveFailures: 100_000 },
} as const;

/** The model: what is stored, and what happened. */
export type Week = ReturnType<typeof openWeek>;

export function openWeek() {
  return {
    now: 0,
    answer: 200 as 200 | 422 | 503,
    isHeld: false,
    events: [] as Predicted[],
    entries: [] as Entry[],
    lastVersion: 0,
    counted: { captures: 0, deliveries: 0, discards: 0 },
    sent: 0,
  };
}

export function predictCapture(week: Week, id: string, body: string): void {
  week.counted.captures += 1;
  week.lastVersion += 1;
  const fresh = { status: 'PENDING', priority: 0, retries: 0, dueAt: week.now, deliveries: 0 } as const;
  week.events.push({ id, body, editedFrom: null, isReplaced: false, ...fresh, version: week.lastVersion });
}

/** Changes an event, and returns what an undo has to know. */
export function predictChange(week: Week, event: Predicted, change: Change): Changed {
  const before = { ...event };
  week.lastVersion += 1;
  Object.assign(event, change, { version: week.lastVersion });
  return { event, before, version: event.version };
}

/** The consumer of a delivered event reports that it failed: a retry that failed. */
export function predictRecurrence(week: Week, event: Predicted): void {
  const dueAt = Math.max(event.dueAt, week.now);
  predictChange(week, event, { status: 'PENDING', retries: event.retries + 1, dueAt });
}

/** A delivery; that of a replay resets the retries. A delivered event stays delivered. */
export function predictDelivery(week: Week, event: Predicted, isReplay: boolean): void {
  week.sent += 1;
  const retries = isReplay ? 0 : event.retries;
  const deliveries = event.deliveries + 1;
  const dueAt = week.now + backoffHours;
  if (week.answer === 200) {
    week.counted.deliveries += 1;
    predictChange(week, event, { status: 'SUCCEEDED', retries, deliveries, dueAt });
  } else if (event.status === 'SUCCEEDED') {
    predictChange(week, event, { retries, deliveries });
  } else {
    const isOver = week.answer === 422 || retries + 1 >= maxRetries;
    const status = isOver ? 'FAILED_PERMANENTLY' : 'PENDING';
    predictChange(week, event, { status, retries: retries + 1, deliveries, dueAt });
  }
}

/** The edit that takes the place of an event. */
export function predictEdit(week: Week, event: Predicted, id: string, body: string): Changed {
  const isOpen = event.status === 'PENDING';
  const isDecided = event.status === 'SUCCEEDED' || event.status === 'DISCARDED';
  week.lastVersion += 1;
  const edit: Predicted = {
    ...event,
    id,
    body,
    editedFrom: event.editedFrom ?? event.id,
    status: isOpen ? 'PENDING' : 'FAILED_PERMANENTLY',
    retries: 0,
    deliveries: 0,
    isReplaced: false,
    version: week.lastVersion,
  };
  week.events.push(edit);
  const changed = predictChange(week, event, {
    isReplaced: true,
    ...(!isDecided && { status: 'DISCARDED' }),
  });
  return { ...changed, edit: { event: edit, version: edit.version } };
}

/** Returns events to their state before an action, as far as nothing changed them since; and how many. */
export function predictUndo({ changes }: Entry): number {
  const isSame = ({ event, version, edit }: Changed) =>
    event.version === version && (!edit || edit.event.version === edit.version);
  const undone = changes.filter(isSame);
  for (const { event, before, edit } of undone) {
    Object.assign(event, before);
    if (edit) Object.assign(edit.event, { status: 'ARCHIVED', version: -1 });
  }
  return undone.length;
}
