import { wholeNumber } from '../../config/whole-number.ts';
import { DueTimeSchema, resolveDueTime } from '../../time-text.ts';
import { defineAction } from './define-action.ts';

export const discard = defineAction({
  name: 'discard',
  key: 'd',
  verb: 'Discard',
  done: 'discarded',
  effect: 'Discarded events are no longer delivered. They are kept and can be reopened.',
  tone: 'danger',
  statuses: ['PENDING', 'FAILED_PERMANENTLY'],
  inputs: {},
  sets: () => ({ status: 'DISCARDED', processed_at: 'now', lease_token: null, lease_expires_at: null }),
});

export const reopen = defineAction({
  name: 'reopen',
  key: 'o',
  verb: 'Reopen',
  done: 'reopened',
  effect:
    'Reopened events are due now, with all their retries left, and are sent as they were captured. Delivered ones are reopened only if the filter names their status. One that an edit replaced stays closed: undo the edit.',
  tone: 'primary',
  statuses: ['FAILED_PERMANENTLY', 'DISCARDED'],
  ifNamed: ['SUCCEEDED'],
  inputs: {},
  // With all retries used up, the next failure would be permanent. The age begins again.
  sets: () => ({
    status: 'PENDING',
    processed_at: null,
    retry_count: 0,
    retry_after: 'now',
    cause: null,
    reopened_at: 'now',
  }),
});

export const reprioritize = defineAction({
  name: 'reprioritize',
  key: 'p',
  verb: 'Reprioritize',
  done: 'reprioritized',
  effect: 'Of the due events, those with the lowest number are retried first; the default is 0.',
  tone: 'primary',
  statuses: ['PENDING'],
  inputs: {
    priority: {
      schema: wholeNumber(-32_768, 32_767),
      label: 'Priority',
      hint: 'The lowest number goes first.',
      control: 'number',
      initial: '-1',
    },
  },
  sets: ({ priority }) => ({ priority }),
});

export const snooze = defineAction({
  name: 'snooze',
  key: 's',
  verb: 'Snooze',
  done: 'snoozed',
  effect: 'The schedule delivers snoozed events from that time on; a replay delivers them before.',
  tone: 'primary',
  statuses: ['PENDING'],
  inputs: {
    until: {
      schema: DueTimeSchema,
      label: 'Until',
      hint: 'A time, or how long from now: 4h, 2d, 2026-03-01T02:00Z.',
      control: 'text',
      initial: '4h',
    },
  },
  sets: ({ until }, now) => ({ retry_after: resolveDueTime(until, now) }),
});

/** The actions on many events, in the order of their buttons. A new one is defined here, and nowhere else. */
export const actions = [discard, reopen, reprioritize, snooze] as const;
