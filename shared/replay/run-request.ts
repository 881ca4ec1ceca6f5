import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { validate } from '../config/validate.ts';
import { toStorableText } from '../database/storable-text.ts';
import { InputError, type Problem } from '../errors.ts';
import { requiredText } from '../events/actions/operator-text.ts';
import { type Filter, SelectiveFilterSchema } from '../events/filter/filter-schema.ts';
import { readFilter } from '../events/filter/read-filter.ts';
import { PatchSchema } from '../json/patch-schema.ts';
import { normalize, sliceMembers } from '../json/slice-json.ts';
import type { HeaderValue } from '../message/event.ts';
import { flag, type Rollout, rolloutFields } from './rollout.ts';

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
  reason: v.optional(requiredText(1000, 'Why; required unless it is a dry run, and recorded in the audit.')),
  target: v.optional(
    requiredText(2000, 'The URL or topic of a configured route, to which all events are sent.'),
  ),
  patch: v.optional(PatchSchema),
  edit: v.optional(EditSchema),
  ...rolloutFields,
  dryRun: flag('Returns a preview, and changes nothing.'),
  selection: v.optional(
    v.pipe(
      v.string('Give it as text.'),
      v.regex(/^\d{1,7}--?\d{1,30}$/, 'Give the selection of a preview, as it is there.'),
      v.description('The `selection` of a preview: creates the run only if it still has these events.'),
    ),
  ),
});

type Fields = v.InferOutput<typeof RunRequestSchema>;

/** A validated request for a replay. */
export type RunRequest = Readonly<Omit<Fields, 'filter' | 'patch' | 'edit' | keyof typeof rolloutFields>> & {
  /** Its times are absolute. */
  readonly filter: Filter;
  /** JSON text, as it was written. */
  readonly patch?: string | undefined;
  readonly edit?: Edit | undefined;
  readonly rollout: Rollout;
  readonly idempotencyKey?: string | undefined;
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
  const fields = validate(RunRequestSchema, JSON.parse(raw));
  const { filter: input, patch, edit, reason, target, dryRun, selection, ...rollout } = fields;
  const filter = readFilter(input, { now, at: 'filter' });
  const problems = [
    ...(filter.ok ? [] : filter.problems),
    ...findContradictions(fields, key),
    ...findPast(fields, now),
  ];
  if (!filter.ok || problems.length > 0) throw new InputError(problems);
  return {
    ...{ edit, reason, target, dryRun, selection, rollout },
    filter: filter.value,
    // From the text: parsing and printing would change large numbers.
    patch: patch && normalize(String(sliceMembers(Buffer.from(raw)).get('patch') ?? '')),
    idempotencyKey: key,
    hash: createHash('sha256').update(normalize(raw)).digest('hex'),
  };
}

function findContradictions(fields: Fields, key?: string): Problem[] {
  const { filter, edit, patch, reason, dryRun } = fields;
  const problems: Problem[] = [];
  const add = (field: string, value: unknown, remedy: string) => problems.push({ field, value, remedy });
  if (reason === undefined && !dryRun) add('reason', reason, 'Give a reason: the audit records it.');
  if (edit && filter.ids?.length !== 1)
    add('filter.ids', filter.ids, 'An edit applies to one event: give exactly one id.');
  if (edit && patch) add('patch', '(not shown)', 'Use either edit or patch.');
  if (key !== undefined && (key.length > 255 || key.trim() === ''))
    add('Idempotency-Key', key, 'Must have from 1 to 255 characters.');
  return problems;
}

/** A run that ends before it starts would do nothing. */
function findPast({ startAt, notAfter }: Fields, now: Date): Problem[] {
  const start = Math.max(now.getTime(), startAt === undefined ? 0 : Date.parse(startAt));
  if (notAfter === undefined || Date.parse(notAfter) > start) return [];
  return [{ field: 'notAfter', value: notAfter, remedy: 'Give a time after now, and after startAt.' }];
}
