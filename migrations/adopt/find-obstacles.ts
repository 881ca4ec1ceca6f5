import { findUnreadable } from './find-unreadable.ts';
import { keepsReplicaIdentity } from './find-warnings.ts';
import { isFact } from './insert-rows.ts';
import type { Table } from './inspect-table.ts';
import { ownColumns } from './own-columns.ts';
import { findColumn, type Source } from './read-facts.ts';

const remedy =
  'import its rows into a table of this product, which leaves it as it is (docs/adopt.md, Import).';
const orImport = `Or ${remedy}`;

/** Lists the reasons why the product cannot take the place of a table, each with a remedy. All of it is known from the catalog. */
export function findObstacles(table: Table, source: Source): string[] {
  if (table.kind !== 'r' || table.isInherited) return [describeKind(table)];
  return [
    ...findMissing(table, source),
    ...findClashes(table),
    ...findUnreadable(source),
    ...findDependants(table),
    ...(isArchive(table.name) ? findUnique(table) : []),
    ...(table.isOwned
      ? []
      : [`${table.name} belongs to ${table.owner}: connect as ${table.owner} or as a member of it.`]),
  ];
}

function describeKind({ name, kind, isInherited }: Table): string {
  if (kind === 'p' || isInherited) {
    return `${name} is partitioned, or has parents or children; an adopted table is a single one. Copy its rows into a table that is not partitioned, and let the consumers use that. ${orImport}`;
  }
  return `${name} is a view or a foreign table: adopt the table that it reads. ${orImport}`;
}

function findMissing({ name, hasUniqueId, columns, sequence }: Table, source: Source): string[] {
  const missing = ['id', 'event_type', 'payload']
    .filter((fact) => !findColumn(source, fact))
    .map(
      (fact) =>
        `Column ${fact} is missing: ${name} is not a table of dead letters as the articles describe it. ${upperFirst(remedy)}`,
    );
  const id = columns.find((column) => column.name === 'id');
  if (!id || isArchive(name)) return missing;
  const foreign = sequence === null && /^nextval\('?"?([^'"]+)/.exec(id.default ?? '')?.[1];
  return [
    ...missing,
    ...(hasUniqueId
      ? []
      : [
          `Column id of ${name} has no unique index of its own. Create it: CREATE UNIQUE INDEX CONCURRENTLY ON ${name} (id);`,
        ]),
    ...(foreign
      ? [
          `The sequence ${foreign} does not belong to ${name}.id. If no other table uses it: ALTER SEQUENCE ${foreign} OWNED BY ${name}.id; otherwise give ${name} a sequence of its own that continues above it.`,
        ]
      : []),
  ];
}

function findClashes({ columns }: Table): string[] {
  return columns.flatMap(({ name, type, isIdentity, generated, rejectsNull }) => {
    if (ownColumns.includes(name)) {
      return [
        `Column ${name} has the name of a column of this product. Rename it together with the statements that use it. ${orImport}`,
      ];
    }
    if (isFact(name) && generated)
      return [`Column ${name} is generated, and this product writes it. ${upperFirst(remedy)}`];
    if (!isFact(name) && rejectsNull) {
      return [
        `Column ${name} is of the domain ${type}, which allows no null, and captures have no value for it. Give it a default: ALTER TABLE ... ALTER COLUMN ${name} SET DEFAULT ...; ${orImport}`,
      ];
    }
    if (!isFact(name) && isIdentity) {
      return [
        `Column ${name} is an identity column. Make it a serial one: give it a sequence as its default. ${orImport}`,
      ];
    }
    return [];
  });
}

/** The archive is partitioned by month, and unique indexes of partitioned tables contain the month. */
function findUnique({ name, indexes }: Table): string[] {
  return indexes
    .filter(({ isUnique, columns }) => isUnique && columns.join() !== 'id')
    .map(
      (index) =>
        `Unique index ${index.name} cannot be kept: ${name} becomes a table with a partition for each month. Remove the index. ${orImport}`,
    );
}

function isArchive(name: string): boolean {
  return name === 'dlq_events_archive';
}

function findDependants(table: Table): string[] {
  const { name, rules, hasRowSecurity, constraints, subscriptions, dependants, publications, views } = table;
  const blocking = constraints.filter(({ isIncoming, onDelete }) => isIncoming && 'ar'.includes(onDelete));
  return [
    ...rules.map(
      (rule) =>
        `Rule ${rule} of ${name}: PostgreSQL allows no INSERT ... ON CONFLICT beside it, by which captures are stored. Replace it by a trigger.`,
    ),
    ...(hasRowSecurity
      ? [
          `${name} has row level security: the logins of this product would see no rows. Remove its policies, and disable it. ${orImport}`,
        ]
      : []),
    ...blocking.map(
      (key) =>
        `Foreign key ${key.name} of ${key.table} would stop the archive from moving closed events. Replace it by one with ON DELETE SET NULL or ON DELETE CASCADE. ${orImport}`,
    ),
    ...constraints
      .filter(({ mayMove }) => !mayMove)
      .map((key) =>
        key.isIncoming
          ? `Foreign key ${key.name} of ${key.table}, which belongs to another role: connect as a member of its owner.`
          : `Foreign key ${key.name} of ${name}, ${key.definition}: its copy needs the right REFERENCES on that table. Run as its owner: GRANT REFERENCES.`,
      ),
    ...subscriptions.map(
      (each) => `${name} receives rows of the subscription ${each}: adopt it where it is published.`,
    ),
    ...dependants.map(
      (each) =>
        `${upperFirst(each)} is bound to ${name} or to its row type, and would stay with the old table: use a trigger or a function whose body is a text (LANGUAGE plpgsql), which finds ${name} by its name, or use the columns.`,
    ),
    ...publications
      .filter(({ isOwned }) => !isOwned)
      .map((each) => `Publication ${each.name} belongs to another role: connect as a member of its owner.`),
    ...publications
      .filter(
        ({ filter, columns, hasChanges }) =>
          hasChanges && (filter !== null || columns?.includes('id') === false),
      )
      .filter(() => !keepsReplicaIdentity(table))
      .map(
        (each) =>
          `Publication ${each.name} selects rows or columns of ${name}, whose replica identity becomes its primary key: PostgreSQL would refuse updates. Let its condition use the id only and its columns include it, or SET (publish = 'insert').`,
      ),
    ...views
      .filter(({ isOwned, kind }) => !isOwned && kind === 'v')
      .map((each) => `View ${each.name} belongs to another role: connect as a member of its owner.`),
  ];
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
