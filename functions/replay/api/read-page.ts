import * as v from 'valibot';
import { EventIdSchema } from '../../../shared/filter/filter-schema.ts';
import { largestId } from '../../../shared/largest-id.ts';
import type { Description } from './resource.ts';

/**
 * Where a page begins, an id unless the list says otherwise, and which moment its relative times count back from: all
 * pages mean the same.
 */
export type PageStart = { readonly before: string; readonly now: Date };

const limitRemedy = 'Give a whole number from 1 to 500.';
const cursorRemedy = 'Give the "next" of the page before, as it is, or leave it out.';

/** The parameters of a query that every list takes. */
export const pageEntries = {
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,3}$/, limitRemedy),
      v.transform(Number),
      v.minValue(1, limitRemedy),
      v.maxValue(500, limitRemedy),
    ),
    '50',
  ),
  cursor: cursorOf((before) => v.is(EventIdSchema, before)),
};

/** A cursor that begins at what `isBefore` knows. */
export function cursorOf(isBefore: (before: string) => boolean) {
  const isCursor = (cursor: string) => isBefore(decode(cursor)?.before ?? '');
  return v.optional(v.pipe(v.string(), v.check(isCursor, cursorRemedy)));
}

/** Begins where the cursor says, or with the first page. */
export function readStart(cursor: string | undefined, now: Date): PageStart {
  return (cursor === undefined ? undefined : decode(cursor)) ?? { before: largestId, now };
}

type Asked<Row> = {
  readonly limit: number;
  readonly now: Date;
  /** A row as the place where the next page begins: its id, unless told. */
  readonly print?: (row: Row) => string;
};

/** The rows of a page of which one more was asked for than it holds, and the cursor of the next one, if there is any. */
export function toPage<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { limit, now, print = ({ id }) => id }: Asked<Row>,
) {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  const next = last ? Buffer.from(`${print(last)} ${now.toISOString()}`).toString('base64url') : null;
  return { items, next };
}

function decode(cursor: string): PageStart | undefined {
  const [before = '', at = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const now = new Date(at);
  return Number.isNaN(now.getTime()) ? undefined : { before, now };
}

/** How the OpenAPI document describes them. */
export const pageParameters = [
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 500, default: 50 } },
  { name: 'cursor', in: 'query', schema: { type: 'string' }, description: 'The `next` of the page before.' },
];

/** How the OpenAPI document describes a page of `name`. */
export function describePage(name: string) {
  const items = { type: 'array', items: { $ref: `#/components/schemas/${name}` } };
  const next = { type: ['string', 'null'], description: 'The cursor of the next page; null on the last.' };
  return {
    type: 'object',
    required: ['items', 'next'],
    properties: { items, next },
    additionalProperties: false,
  };
}

/** How it describes an answer of this schema. */
export function describeAnswer(description: string, schema: Description): Description {
  return { 200: { description, content: { 'application/json': { schema } } } };
}
