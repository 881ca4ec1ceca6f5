import * as v from 'valibot';
import { hoursOf, type PeriodName, periods, periodUpTo, startOfStep } from '../../shared/counts/periods.ts';
import { sumGroupSteps, sumSteps } from '../../shared/counts/sum-steps.ts';
import { TextSchema } from '../../shared/events/filter/filter-values.ts';
import { count, described, integer, listOf, time } from '../../shared/response-values.ts';
import { oneOf, operation } from './api/operation.ts';

const names = Object.keys(periods) as [PeriodName, ...PeriodName[]];

const query = {
  range: v.optional(oneOf(names), '24h'),
  fingerprint: v.optional(
    described(TextSchema, 'Counts this error group and those merged into it, in steps of an hour at least.'),
  ),
};

const CountsSchema = v.strictObject({
  since: time,
  until: time,
  stepMinutes: described(integer, 'The length of a step.'),
  isExact: described(
    v.boolean(),
    'False if more events failed in the period than were read: the steps have the latest ones.',
  ),
  items: listOf(
    v.strictObject({
      at: described(time, 'The start of the step; before `since` for a step of the preceding period.'),
      failures: described(
        count,
        'Captures and recurrences; in steps of less than an hour events, each by its last failure.',
      ),
      deliveries: described(v.nullable(count), 'Null in steps of less than an hour.'),
    }),
  ),
});

export const countOperation = operation(
  {
    summary: 'Count failures and deliveries over time',
    description:
      'Of a period up to now, and without an error group of the one before it, in equal steps; steps without any are omitted. An hour has steps of a minute, six hours of five, a day of an hour.',
    query,
    returns: CountsSchema,
  },
  async ({ db }, { query: { range, fingerprint }, now }) => {
    const whole = periodUpTo(now, range);
    const period = fingerprint === undefined ? whole : hoursOf(whole);
    const { steps, isExact } =
      fingerprint === undefined ? await sumSteps(db, period) : await sumGroupSteps(db, period, fingerprint);
    const items = steps.map(({ step, ...counts }) => ({ at: startOfStep(period, step), ...counts }));
    const { since, until, stepMinutes } = period;
    return { body: { since, until, stepMinutes, isExact, items } };
  },
);
