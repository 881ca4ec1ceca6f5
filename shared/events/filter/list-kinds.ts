import * as v from 'valibot';
import { type Status, statuses } from '../../message/event.ts';
import { EventIdSchema } from '../event-id.ts';
import { hashId, hashIds } from '../hash-ids.ts';
import { defineKind, type SqlContext } from './filter-kind.ts';
import { oneOrMore, TextSchema } from './filter-values.ts';
import { contain, escapeLike } from './text-kinds.ts';
import { printList, type ReadResult, readList } from './text-values.ts';

const lists = { takes: 'many', read: readList, print: printList } as const;

export const ids = defineKind({
  ...lists,
  name: 'ids',
  schema: oneOrMore(EventIdSchema, 10_000),
  values: 'ids, up to 10000',
  compare: ([sql], ids, { put }) => `${sql} = any (${put(ids)}::bigint[])`,
});

export const oneOf = defineKind({
  ...lists,
  name: 'one of',
  schema: oneOrMore(TextSchema, 1000),
  values: 'texts, up to 1000',
  compare: ([sql], texts, context) => matchTexts(sql, texts, context),
});

/** A single text is compared with `=`: for `= any` the planner ignores the order of a multi-column index. */
function matchTexts(sql: string, texts: readonly string[], { put }: SqlContext): string {
  return texts.length === 1 ? `${sql} = ${put(texts[0])}::text` : `${sql} = any (${put(texts)}::text[])`;
}

/** Compared with `=`, after the index of the ids of events; ids in digits, with the primary key as well. */
export const identifiers = defineKind({
  ...lists,
  name: 'identifiers',
  schema: oneOrMore(TextSchema, 100),
  values: 'texts, up to 100',
  compare(columns, texts, context) {
    const spellings = texts.flatMap((text) => [...new Set([text, text.toLowerCase(), text.toUpperCase()])]);
    const placed = context.put(spellings);
    const equal = columns.map((sql) => `${sql} = any (${placed}::text[])`).join(' or ');
    const hashed = hasHash(spellings.map(hashId), context);
    return `(${[...findById(texts, context), `${hashed} and (${equal})`].join(' or ')})`;
  },
});

/** An id of events, of which their index has hashes. */
export const identity = defineKind({
  ...lists,
  name: 'identity',
  schema: oneOrMore(TextSchema, 100),
  values: 'texts, up to 100',
  says: '{} is one of these.',
  compare: ([sql], texts, context) =>
    `${hasHash(texts.map(hashId), context)} and ${matchTexts(sql, texts, context)}`,
});

function findById(texts: readonly string[], { put }: SqlContext): string[] {
  const ids = texts.filter((text) => v.is(EventIdSchema, text));
  return ids.length > 0 ? [`event.id = any (${put(ids)}::bigint[])`] : [];
}

/** An event has a hash together with its segment, of 16 in turn: 002_plain-sql.sql. */
function hasHash(hashes: readonly number[], { put }: SqlContext): string {
  const placed = segments.flatMap((segment) => hashes.map((hash) => String.fromCodePoint(segment | hash)));
  return `string_to_array(event.id_hashes, null) && ${put([...new Set(placed)])}::text[]`;
}

const segments = Array.from({ length: 16 }, (_, segment) => (segment + 1) << 16);

const IdSchema = v.pipe(
  TextSchema,
  v.check(
    (text) => hashIds([text]).length > 0,
    'Give an id: 6 characters or more, with three digits or more.',
  ),
);

/**
 * The columns of identifiers, and texts with the ids that an event has hashes of. An array of ids: the
 * planner cannot know how few events have a hash, and would read the list from its latest event on.
 */
export const mentions = defineKind({
  ...lists,
  name: 'mentions',
  schema: oneOrMore(IdSchema, 100),
  values: 'ids, up to 100',
  compare([eventId, key = '', traceId = '', ...said], texts, context) {
    const words = `concat_ws(${context.put(' ')}::text, ${[eventId, key, traceId, ...said]})`;
    const mentioned = texts.map((text) => {
      const hashed = hasHash([hashId(text), ...hashIds([text])], context);
      return `${hashed} and ${contain(words, text, context)}`;
    });
    const either = [...findById(texts, context), ...mentioned].join(' or ');
    const found = ['dlq_events', 'dlq_events_archive'].map(
      (table) => `select event.id from ${table} as event where ${either}`,
    );
    return `event.id = any (array(${found.join(' union all ')}))`;
  },
});

/** Globs without `*` are compared with `=`, which any index on the column can answer. */
export const globs = defineKind({
  ...lists,
  name: 'globs',
  schema: oneOrMore(TextSchema, 100),
  values: 'globs, up to 100',
  says: 'Its {} matches one of these globs.',
  compare([sql], globs, context) {
    const exact = globs.filter((glob) => !glob.includes('*'));
    const patterns = globs.filter((glob) => glob.includes('*')).map(toLikePattern);
    const either = [
      ...(exact.length > 0 ? [matchTexts(sql, exact, context)] : []),
      ...(patterns.length > 0 ? [`${sql} like any (${context.put(patterns)}::text[])`] : []),
    ];
    return `(${either.join(' or ')})`;
  },
});

/** The pattern of a glob for LIKE: `*` matches any characters or none; all others match themselves. */
export function toLikePattern(glob: string): string {
  return glob.split('*').map(escapeLike).join('%');
}

/** A status, in upper or lower case. */
const StatusSchema = v.pipe(
  v.string('Give it as text.'),
  v.metadata({ enum: statuses }),
  v.toUpperCase(),
  v.picklist(statuses, `Use one of ${statuses.join(', ')}.`),
);

/**
 * A status, expressed by the generated columns of the partial indexes: these cannot name `status` itself,
 * because every claim changes it. They replace the status instead of joining it, because the planner would
 * assume independence.
 */
export const status = defineKind({
  ...lists,
  name: 'status',
  schema: oneOrMore(StatusSchema, statuses.length),
  values: 'statuses',
  compare([sql], wanted, { put }) {
    const isWithin = (all: readonly Status[]) => wanted.every((each) => all.includes(each));
    const except = (all: readonly Status[]) =>
      all.filter((each) => !wanted.includes(each)).map((each) => ` and ${sql} <> ${put(each)}::text`);
    if (isWithin(['FAILED_PERMANENTLY'])) return 'event.is_blocking and not event.is_open';
    if (isWithin(['PROCESSING'])) return isLeased;
    if (isWithin(open)) return ['event.is_open', ...except(open)].join('');
    // Equivalent to is_blocking, on which alone no index is partial; each side of the "or" has one.
    const isBlocking = '(event.is_open or event.is_blocking and not event.is_open)';
    if (isWithin(blocking)) return [isBlocking, ...except(blocking)].join('');
    return `${sql} = any (${put(wanted)}::text[])`;
  },
  read: readStatuses,
});

/** By their leases: no index has these few of all open events. */
const isLeased =
  'event.lease_token is not null and event.id in (select unnest(event_ids) from dlq_leases where target is null)';

const open: readonly Status[] = ['PENDING', 'PROCESSING'];
const blocking: readonly Status[] = [...open, 'FAILED_PERMANENTLY'];

/** `open`, `failed` and `delivered` are the statuses that users mean by them. */
function readStatuses(text: string): ReadResult[] {
  return readList(text).flatMap((read) => {
    const meant = statusesOf.get(read.text.toLowerCase());
    return meant ? meant.map((value) => ({ ...read, value })) : [read];
  });
}

const statusesOf = new Map<string, readonly Status[]>(
  Object.entries({ open, failed: ['FAILED_PERMANENTLY'], delivered: ['SUCCEEDED'] }),
);
