import * as v from 'valibot';
import { wholeNumber } from '../../config/whole-number.ts';
import { defineKind } from './filter-kind.ts';
import { type ReadResult, readText } from './text-values.ts';

/** Fields with a range of whole numbers between `minimum` and `maximum`, with one bound or both. */
export function range(minimum: number, maximum: number) {
  const bound = v.exactOptional(wholeNumber(minimum, maximum));
  const shape = 'Give {"min": number}, {"max": number}, or both.';
  const schema = v.pipe(
    v.strictObject({ min: bound, max: bound }, shape),
    v.minEntries(1, shape),
    v.check(
      ({ min = minimum, max = Math.max(min, maximum) }) => min <= max,
      'Its min is above its max: swap them.',
    ),
    v.readonly(),
  );
  return defineKind({
    name: 'range',
    schema,
    values: '`{"min": 1, "max": 5}`, one or both',
    says: 'Its {} is in this range.',
    takes: 'bounds',
    compare([sql], { min, max }, { put }) {
      const above = min === undefined ? [] : [`${sql} >= ${put(min)}::integer`];
      const below = max === undefined ? [] : [`${sql} <= ${put(max)}::integer`];
      return [...above, ...below].join(' and ');
    },
    read: readNumber,
    print({ min, max }) {
      if (min === max) return [`${min}`];
      return [...(min === undefined ? [] : [`>=${min}`]), ...(max === undefined ? [] : [`<=${max}`])];
    },
  });
}

/** Bounds include their number: `>3` is `>=4`. */
function readNumber(text: string): ReadResult[] {
  const [, sign, isWith, number] = /^([<>])?(=)?(-?\d+)$/.exec(text) ?? [];
  if (number === undefined || (isWith && !sign))
    return [{ text, remedy: 'Write a number, or >, >=, < or <= before one: >=3.' }];
  const beyond = isWith || !sign ? 0 : sign === '>' ? 1 : -1;
  return [{ text, value: Number(number) + beyond, ...(sign && { sign: sign as '<' | '>' }) }];
}

const runRemedy =
  'Give the id of a replay, and optionally an outcome: "26", "26/failed". Outcomes are waiting, delivered, failed and skipped.';

/** The events of a replay, or those with one outcome. */
const RunSelectionSchema = v.pipe(
  v.string(runRemedy),
  v.regex(/^[1-9]\d{0,17}(\/(waiting|delivered|failed|skipped))?$/, runRemedy),
  v.metadata({ examples: ['26', '26/failed'] }),
);

/** An array, not a join: without statistics about a new run, the planner would join it with all events. */
export const run = defineKind({
  name: 'run',
  schema: RunSelectionSchema,
  values: 'a replay',
  takes: 'one',
  compare([sql], selection, { put }) {
    const [run, outcome] = selection.split('/');
    const ofOutcome = outcome === undefined ? '' : ` and outcome = ${put(outcome)}::text`;
    const ofRun = `run_id = ${put(run)}::bigint${ofOutcome}`;
    return `${sql} = any (array(select event_id from dlq_run_events where ${ofRun}))`;
  },
  read: (text) => [readText(text)],
  print: (selection) => [selection],
});
