import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { InputError, type Problem } from '../../../shared/errors.ts';
import { type Filter, FilterSchema } from '../../../shared/filter/filter-schema.ts';
import { readFilter } from '../../../shared/filter/read-filter.ts';
import { toStorableText } from '../../../shared/storable-text.ts';
import { check } from '../../../shared/validate.ts';
import { minify, sliceMembers } from '../../capture/json-source.ts';
import { type Edit, EditSchema } from './edit-schema.ts';
import { type Pace, paceFields } from './pace.ts';
import { PatchSchema } from './patch/patch-schema.ts';

const text = (most: number) =>
  v.pipe(
    v.string('Give it as text.'),
    v.trim(),
    v.nonEmpty('Must not be empty.'),
    v.maxLength(most, `Must have at most ${most} characters.`),
    v.transform((value) => toStorableText(value)),
  );
const flag = v.optional(v.boolean('Use true or false.'), false);
const count = (least: number, most: number) => {
  const remedy = `Use a whole number from ${least} to ${most}.`;
  return v.pipe(v.number(remedy), v.integer(remedy), v.minValue(least, remedy), v.maxValue(most, remedy));
};

/** What `POST /runs` takes: docs/replay.md says what each field does. */
export const RunRequestSchema = v.strictObject({
  filter: v.pipe(
    FilterSchema,
    v.check(
      (filter) => Object.keys(filter).length > 0,
      'Name at least one condition: without any, every event is meant.',
    ),
  ),
  includeSucceeded: flag,
  includeDiscarded: flag,
  reason: v.optional(text(1000)),
  target: v.optional(text(2000)),
  patch: v.optional(PatchSchema),
  edit: v.optional(EditSchema),
  ...paceFields,
  watchSeconds: v.optional(count(1, 31_536_000), 86_400),
  dryRun: flag,
  samples: v.optional(count(0, 20), 5),
  idempotencyKey: v.optional(text(255)),
});

/** A replay as it was asked for. */
export type RunRequest = {
  /** Its times are absolute. */
  readonly filter: Filter;
  readonly includeSucceeded: boolean;
  readonly includeDiscarded: boolean;
  readonly reason?: string | undefined;
  readonly target?: string | undefined;
  /** JSON text, as it was written. */
  readonly patch?: string | undefined;
  readonly edit?: Edit | undefined;
  readonly pace: Pace;
  readonly watchSeconds: number;
  readonly dryRun: boolean;
  readonly samples: number;
  readonly idempotencyKey?: string | undefined;
  /** SHA-256 of the request, by which a repetition is known. */
  readonly hash: string;
};

type Given = {
  /** The body as it was sent, and as it was parsed. */
  readonly raw: string;
  readonly body: unknown;
  /** The header Idempotency-Key. */
  readonly key?: string | undefined;
  readonly now: Date;
};

/** Reads a request for a run. Throws InputError with every problem. */
export function readRunRequest({ raw, body, key, now }: Given): RunRequest {
  const checked = check(RunRequestSchema, body);
  if (!checked.ok) throw new InputError(checked.problems);
  const { filter: given, patch, ramp, canary, ratePerSecond, gate, idempotencyKey, ...rest } = checked.value;
  const filter = readFilter(given, { now, at: 'filter' });
  const problems = [...(filter.ok ? [] : filter.problems), ...findContradictions(checked.value, key)];
  if (!filter.ok || problems.length > 0) throw new InputError(problems);
  return {
    ...rest,
    filter: filter.value,
    // From the text: parsed and printed again, large numbers would be others.
    patch: patch && minify(sliceMembers(raw)[0]?.get('patch') ?? ''),
    pace: { gate, ...(ramp && { ramp }), ...(canary && { canary }), ...(ratePerSecond && { ratePerSecond }) },
    idempotencyKey: key ?? idempotencyKey,
    hash: createHash('sha256').update(minify(raw)).digest('hex'),
  };
}

type Fields = v.InferOutput<typeof RunRequestSchema>;

function findContradictions(fields: Fields, key?: string): Problem[] {
  const { filter, edit, patch, idempotencyKey, reason, dryRun } = fields;
  const problems: Problem[] = [];
  if (reason === undefined && !dryRun) {
    problems.push({ field: 'reason', value: reason, remedy: 'Say why: the audit keeps it.' });
  }
  if (edit && filter.ids?.length !== 1) {
    problems.push({
      field: 'filter.ids',
      value: filter.ids,
      remedy: 'An edit is of one event: name exactly one id.',
    });
  }
  if (edit && patch) {
    problems.push({ field: 'patch', value: '(not shown)', remedy: 'Use either edit or patch.' });
  }
  if (key !== undefined && (key.length > 255 || key.trim() === '')) {
    problems.push({ field: 'Idempotency-Key', value: key, remedy: 'Must have from 1 to 255 characters.' });
  }
  if (key !== undefined && idempotencyKey !== undefined && key !== idempotencyKey) {
    problems.push({
      field: 'idempotencyKey',
      value: idempotencyKey,
      remedy: 'The header Idempotency-Key says another: use one of them.',
    });
  }
  return problems;
}
