import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { validate } from '../config/validate.ts';
import { wholeNumber } from '../config/whole-number.ts';
import { toStorableText } from '../database/storable-text.ts';
import { InputError, type Problem } from '../errors.ts';
import { requiredText } from '../events/actions/operator-text.ts';
import { type Filter, SelectiveFilterSchema } from '../events/filter/filter-schema.ts';
import { readFilter } from '../events/filter/read-filter.ts';
import { PatchSchema } from '../json/patch-schema.ts';
import { minify, sliceMembers } from '../json/slice-json.ts';
import type { HeaderValue } from '../message/event.ts';
import { described } from '../response-values.ts';
import { applyPace, flag, paceNames, paces, type Rollout, rolloutFields } from './rollout.ts';

const pace = described(
  v.picklist(paceNames, `Use one of ${paceNames.join(', ')}.`),
  `Ramp, canary and gate under one name, as far as the request does not set them. ${paceNames.map((name) => `${name}: ${paces[name].meaning}`).join(' ')}`,
);

const bytes = v.strictObject({ base64: v.pipe(v.string('Give it as text.'), v.base64('Must be base64.')) });
const plain = v.union([v.string(), bytes], 'Give text, or {"base64": "..."} for bytes.');
// PostgreSQL's text has no U+0000 and no lone surrogates: such headers are stored as bytes, captured ones
// too.
const storable = v.pipe(
  v.string(),
  v.check(
    (text) => toStorableText(text) === text,
    'Give text with U+0000 or lone surrogates as {"base64": "..."}.',
  ),
);
const headerValue = v.union(
  [storable, bytes, v.pipe(v.array(v.union([storable, bytes])), v.minLength(1))],
  'Give text, {"base64": "..."}, or a list of these.',
);

/**
 * The edited message of one event: a body, headers or both. `headers` replaces all headers. The body is text,
 * so that numbers keep all their digits, or bytes.
 */
export const EditSchema = v.pipe(
  v.strictObject({
    body: v.optional(
      v.pipe(
        plain,
        v.transform((body) =>
          typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.base64, 'base64'),
        ),
      ),
    ),
    headers: v.optional(
      v.record(
        v.pipe(storable, v.nonEmpty('A header needs a name.')),
        headerValue,
        'Give an object: {"name": value}.',
      ),
    ),
  }),
  v.check(
    ({ body, headers }) => body !== undefined || headers !== undefined,
    'Give a body, headers, or both.',
  ),
  v.metadata({
    minProperties: 1,
    description: 'Replaces the body, the headers or both of the one event that the filter names by its id.',
  }),
);

export type Edit = {
  readonly body?: Buffer | undefined;
  readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
};

/** The body of `POST /runs`; docs/actions.md explains each field. */
export const RunRequestSchema = v.strictObject({
  filter: SelectiveFilterSchema,
  includeSucceeded: flag('Also replays events that were delivered.'),
  includeDiscarded: flag('Also replays events that were discarded.'),
  reason: v.optional(
    requiredText(1000, { description: 'Why; required unless it is a dry run, and recorded in the audit.' }),
  ),
  target: v.optional(
    requiredText(2000, {
      description: 'The URL or topic of a configured route, to which all events are sent.',
    }),
  ),
  patch: v.optional(PatchSchema),
  edit: v.optional(EditSchema),
  pace: v.optional(pace),
  ...rolloutFields,
  dryRun: flag('Returns a preview, and changes nothing.'),
  selection: v.optional(
    v.pipe(
      v.string('Give it as text.'),
      v.regex(/^\d{1,7}--?\d{1,30}$/, 'Give the selection of a preview, as it is there.'),
      v.description('The `selection` of a preview: creates the run only if it still has these events.'),
    ),
  ),
  samples: v.optional(described(wholeNumber(0, 20), 'The number of events in a preview.'), 5),
  idempotencyKey: v.optional(requiredText(255, { description: 'The same as the header Idempotency-Key.' })),
});

type Fields = v.InferOutput<typeof RunRequestSchema>;

/** A validated request for a replay. */
export type RunRequest = Readonly<Omit<Fields, 'filter' | 'patch' | 'edit' | 'pace' | keyof Rollout>> & {
  /** Its times are absolute. */
  readonly filter: Filter;
  /** JSON text, as it was written. */
  readonly patch?: string | undefined;
  readonly edit?: Edit | undefined;
  readonly rollout: Rollout;
  /** SHA-256 of the request: a repetition has the same one. */
  readonly hash: string;
};

type RawRunRequest = {
  /** JSON. */
  readonly raw: string;
  /** The header Idempotency-Key. */
  readonly key?: string | undefined;
  readonly now: Date;
};

/** Reads a request for a run; relative times count from `now`. Throws InputError with every problem. */
export function readRunRequest({ raw, key, now }: RawRunRequest): RunRequest {
  const fields = validate(RunRequestSchema, applyPace(JSON.parse(raw)));
  const { filter: input, patch, idempotencyKey, pace: _, ...others } = fields;
  const filter = readFilter(input, { now, at: 'filter' });
  const problems = [
    ...(filter.ok ? [] : filter.problems),
    ...findContradictions(fields, key),
    ...findPast(fields, now),
  ];
  if (!filter.ok || problems.length > 0) throw new InputError(problems);
  const { rollout, rest } = splitRollout(others);
  return {
    ...rest,
    rollout,
    filter: filter.value,
    // From the text: parsing and printing would change large numbers.
    patch: patch && minify(sliceMembers(raw)[0]?.get('patch') ?? ''),
    idempotencyKey: key ?? idempotencyKey,
    hash: createHash('sha256').update(minify(raw)).digest('hex'),
  };
}

type Others = Omit<Fields, 'filter' | 'patch' | 'idempotencyKey' | 'pace'>;

/** The rollout, which the run stores as far as it is set, and the other fields. */
function splitRollout(fields: Others) {
  const entries = Object.entries(fields);
  const isOfRollout = ([name]: [string, unknown]) => Object.hasOwn(rolloutFields, name);
  const isSet = ([name, value]: [string, unknown]) =>
    value !== undefined && (value !== false || name === 'gate');
  const rollout = Object.fromEntries(entries.filter((entry) => isOfRollout(entry) && isSet(entry)));
  const rest = Object.fromEntries(entries.filter((entry) => !isOfRollout(entry)));
  return { rollout: rollout as Rollout, rest: rest as Omit<Others, keyof typeof rolloutFields> };
}

function findContradictions(fields: Fields, key?: string): Problem[] {
  const { filter, edit, patch, idempotencyKey, reason, dryRun } = fields;
  const problems: Problem[] = [];
  const add = (field: string, value: unknown, remedy: string) => problems.push({ field, value, remedy });
  if (reason === undefined && !dryRun) add('reason', reason, 'Give a reason: the audit records it.');
  if (edit && filter.ids?.length !== 1)
    add('filter.ids', filter.ids, 'An edit applies to one event: give exactly one id.');
  if (edit && patch) add('patch', '(not shown)', 'Use either edit or patch.');
  if (key !== undefined && (key.length > 255 || key.trim() === ''))
    add('Idempotency-Key', key, 'Must have from 1 to 255 characters.');
  if (key !== undefined && idempotencyKey !== undefined && key !== idempotencyKey) {
    const remedy = 'Differs from the Idempotency-Key header: send only one of them.';
    add('idempotencyKey', idempotencyKey, remedy);
  }
  return problems;
}

/** A run that ends before it starts would do nothing. */
function findPast({ startAt, notAfter }: Fields, now: Date): Problem[] {
  const start = Math.max(now.getTime(), startAt === undefined ? 0 : Date.parse(startAt));
  if (notAfter === undefined || Date.parse(notAfter) > start) return [];
  return [{ field: 'notAfter', value: notAfter, remedy: 'Give a time after now, and after startAt.' }];
}
