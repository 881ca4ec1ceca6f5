import { rowsHave } from './count-rows.ts';
import { facts } from './facts.ts';
import { isFact } from './insert-rows.ts';
import type { Table } from './inspect-table.ts';
import type { Contents } from './read-contents.ts';
import type { Source } from './read-facts.ts';
import { readWords, statuses } from './words.ts';

/** A change that some client may notice: the operator accepts it by its name. */
export type Warning = { readonly name: string; readonly text: string };

/** The names that `--accept` takes. */
export const warningNames = [
  'types',
  'status-words',
  'nulls',
  'values',
  'archive',
  'defaults',
  'checks',
  'unique-indexes',
  'foreign-keys',
  'triggers',
  'views',
  'materialized-views',
  'publications',
  'replica-identity',
  'ids',
  'schema-rights',
  'event-triggers',
  'settings',
];

const ordinaryDefault = /^(now\(\)|CURRENT_TIMESTAMP|\(?0\)?|'PENDING'(::.*)?|NULL(::.*)?|nextval\(.*)$/i;
/** Columns that every statement of the product names, so that their defaults may be any. */
export const namedColumns = ['event_type', 'payload', 'error_reason', 'error_stacktrace'];

/** Lists what clients of a table may notice after its adoption. */
export function findWarnings(table: Table, source: Source, contents: Contents): Warning[] {
  return [
    ...findConversions(table, source),
    ...findWords(source, contents, table),
    ...findNulls(contents),
    ...findUnfit(contents),
    ...findArchive(table),
    ...findDefaults(table),
    ...findConstraints(table),
    ...findReaders(table),
    ...findReplicaIdentity(table),
    ...table.settings.map((setting) => ({
      name: 'settings',
      text: `${setting} of ${table.name} is not carried over. Set it again afterwards, if you need it.`,
    })),
    ...(table.sequence === null && table.name === 'dlq_events'
      ? [
          {
            name: 'ids',
            text: `${table.name}.id has no sequence: captures take ids above the highest. Consumers that choose ids themselves must not choose those.`,
          },
        ]
      : []),
  ];
}

function findConversions({ columns }: Table, { timeZone }: Source): Warning[] {
  return columns.flatMap(({ name, type }) => {
    const { same, converted } = facts[name] ?? {};
    if (!same || same.test(type) || !converted?.test(type)) return [];
    const zone = /without|date/.test(type)
      ? ` Its values are taken as times in ${timeZone}; --time-zone names another zone.`
      : '';
    const become = same.source.replaceAll(/[$^()]/g, '').split('|')[0];
    const range = name === 'priority' ? ' A write beyond -32768 to 32767 fails.' : '';
    const casts = name === 'status' ? ` Statements that cast a value to ${type} fail.` : '';
    return [
      {
        name: 'types',
        text: `Column ${name} is of type ${type} and becomes ${become}.${zone}${range}${casts}`,
      },
    ];
  });
}

function findWords({ mapping }: Source, { words }: Contents, { columns }: Table): Warning[] {
  const known = readWords(mapping.status);
  const initial = /^'([^']*)'/.exec(columns.find(({ name }) => name === 'status')?.default ?? '')?.[1];
  const found = new Set([...words.map(({ word }) => word), ...(initial ? [initial] : [])]);
  return [...found]
    .filter((word) => !statuses.includes(word) && known[word.toLowerCase()])
    .map((word) => ({
      name: 'status-words',
      text: `Status ${word} becomes ${known[word.toLowerCase()]}, in rows and in what consumers write; statements that look for ${word} find nothing.`,
    }));
}

function findNulls({ nulls }: Contents): Warning[] {
  return Object.entries(nulls)
    .filter(([, rows]) => rows > 0)
    .map(([name, rows]) => ({
      name: 'nulls',
      text: `${rowsHave(rows)} no ${name}: they get the default, and statements that look for null find none.`,
    }));
}

function findUnfit({ unfit }: Contents): Warning[] {
  return Object.entries(unfit)
    .filter(([, rows]) => rows > 0)
    .map(([name, rows]) => ({
      name: 'values',
      text: `${rows} ${rows === 1 ? 'row has a value' : 'rows have values'} of ${name} that this product rejects: another one replaces it, and it is kept in metadata, as original.`,
    }));
}

function findArchive({ name }: Table): Warning[] {
  const text =
    'dlq_events_archive gets the columns of this product, which have no defaults: INSERT of chosen columns fails, INSERT ... SELECT * FROM dlq_events works. This product archives closed events itself.';
  return name === 'dlq_events_archive' ? [{ name: 'archive', text }] : [];
}

function findDefaults({ columns }: Table): Warning[] {
  return columns
    .filter(
      ({ name, default: text }) =>
        isFact(name) && name !== 'status' && !namedColumns.includes(name) && text !== null,
    )
    .filter(({ default: text }) => !ordinaryDefault.test(text ?? ''))
    .map(({ name, default: text }) => ({
      name: 'defaults',
      text: `Column ${name} has the default ${text}, which is replaced by that of this product.`,
    }));
}

function findConstraints({ name, constraints, indexes }: Table): Warning[] {
  const checks = constraints.filter(({ kind }) => kind === 'c');
  const keys = constraints.filter(
    ({ kind, isIncoming, definition }) => kind === 'f' && (isIncoming || namesFact(definition)),
  );
  const archived =
    name === 'dlq_events_archive' && indexes.some((index) => index.isUnique && isId(index.columns));
  const unique = indexes.filter(
    ({ isUnique, columns, isPlain }) => isUnique && !isId(columns) && (!isPlain || columns.every(isFact)),
  );
  return [
    ...checks.map((constraint) => ({
      name: 'checks',
      text: `Constraint ${constraint.name}, ${constraint.definition}, is not carried over: it could reject what this product writes.`,
    })),
    ...(archived
      ? [
          {
            name: 'unique-indexes',
            text: `${name} is partitioned by month afterwards and its id no longer unique: INSERT ... ON CONFLICT (id) into it fails.`,
          },
        ]
      : []),
    ...unique.map((index) => ({
      name: 'unique-indexes',
      text: `Unique index ${index.name} is carried over: a capture that breaks it fails.`,
    })),
    ...keys.map((key) => ({
      name: 'foreign-keys',
      text: `Foreign key ${key.name} of ${key.table}, ${key.definition}, is carried over: it applies to captures and to the archive, too.`,
    })),
  ];
}

/** PostgreSQL publishes no updates of a table with generated columns and a full replica identity. */
function findReplicaIdentity(table: Table): Warning[] {
  const { name } = table;
  const text = `The replica identity of ${name} becomes its primary key: subscribers see the old id of a row, and no other old values.`;
  return keepsReplicaIdentity(table) ? [] : [{ name: 'replica-identity', text }];
}

/** Whether rows are identified to subscribers by their id, or not at all, now as afterwards. */
export function keepsReplicaIdentity({ replicaIdentity, indexes }: Table): boolean {
  const index = indexes.find(({ isReplicaIdentity }) => isReplicaIdentity);
  return 'dn'.includes(replicaIdentity) || (index !== undefined && isId(index.columns));
}

function isId(columns: readonly string[]): boolean {
  return columns.length === 1 && columns[0] === 'id';
}

function namesFact(definition: string): boolean {
  const names = /FOREIGN KEY \(([^)]*)\)/.exec(definition)?.[1] ?? '';
  return names.split(', ').some(isFact);
}

function findReaders({ triggers, views, widePublications, columns }: Table): Warning[] {
  const hasNewTypes = columns.some(
    ({ name, definition }) =>
      isFact(name) &&
      !['text', 'bigint', 'jsonb', 'timestamp with time zone', 'integer'].includes(definition),
  );
  return [
    ...triggers.map(({ name }) => ({
      name: 'triggers',
      text: `Trigger ${name} is carried over: it runs for what this product writes, too, and sees more columns; a function that copies NEW.* into another table fails.`,
    })),
    ...views
      .map(({ name, kind, isWritten }) =>
        kind === 'm'
          ? {
              name: 'materialized-views',
              text: `Materialized view ${name} keeps its rows, and reads the table as it was before. Create another one that reads the new table.`,
            }
          : isWritten && hasNewTypes
            ? {
                name: 'views',
                text: `View ${name} is carried over for reading; INSERT, UPDATE and DELETE through it fail.`,
              }
            : undefined,
      )
      .filter((warning) => warning !== undefined),
    ...widePublications.map((name) => ({
      name: 'publications',
      text: `Publication ${name} publishes every new table, the copy of this one included: subscribers need the tables first.`,
    })),
  ];
}
