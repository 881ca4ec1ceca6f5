import type pg from 'pg';
import { readStatement } from './read-statement.ts';

export type Column = {
  readonly name: string;
  /** Without length or precision, which `definition` has. */
  readonly type: string;
  readonly definition: string;
  readonly isRequired: boolean;
  /** Its domain allows no null, and has no default. */
  readonly rejectsNull: boolean;
  readonly isIdentity: boolean;
  /** Empty, `s` (stored) or `v` (virtual). */
  readonly generated: string;
  readonly default: string | null;
  readonly comment: string | null;
  readonly collation: string | null;
  /** The sequence that belongs to the column, except for id. */
  readonly sequence: string | null;
};

export type Index = {
  readonly name: string;
  readonly definition: string;
  readonly isUnique: boolean;
  readonly isPrimary: boolean;
  readonly isReplicaIdentity: boolean;
  /** The definition of the constraint that the index belongs to. */
  readonly constraint: string | null;
  /** A B-tree of columns, without expressions and without a predicate. */
  readonly isPlain: boolean;
  readonly columns: readonly string[];
};

export type View = {
  readonly name: string;
  readonly kind: 'v' | 'm';
  readonly definition: string;
  readonly options: string | null;
  readonly isOwned: boolean;
  readonly isWritten: boolean;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
};

export type Trigger = { readonly name: string; readonly definition: string; readonly enabled: string };

export type Constraint = {
  readonly name: string;
  /** `c`: check, `f`: foreign key. */
  readonly kind: 'c' | 'f';
  readonly definition: string;
  readonly table: string;
  /** A foreign key of another table to this one. */
  readonly isIncoming: boolean;
  readonly isValid: boolean;
  readonly onDelete: string;
  /** The login may create it again. */
  readonly mayMove: boolean;
};

export type Publication = {
  readonly name: string;
  readonly isOwned: boolean;
  readonly columns: readonly string[] | null;
  readonly filter: string | null;
  /** Whether it publishes updates or deletes. */
  readonly hasChanges: boolean;
};

/** A table as the catalog of PostgreSQL describes it. */
export type Table = {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly kind: string;
  readonly isInherited: boolean;
  readonly hasRowSecurity: boolean;
  readonly isOwned: boolean;
  readonly owner: string;
  readonly replicaIdentity: string;
  readonly bytes: number;
  /** Null if PostgreSQL has not counted them yet. */
  readonly estimatedRows: number | null;
  readonly comment: string | null;
  readonly hasUniqueId: boolean;
  readonly sequence: string | null;
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  readonly constraints: readonly Constraint[];
  readonly triggers: readonly Trigger[];
  readonly rules: readonly string[];
  readonly views: readonly View[];
  readonly dependants: readonly string[];
  readonly publications: readonly Publication[];
  readonly widePublications: readonly string[];
  /** Settings and comments that the copy does not get, as texts. */
  readonly settings: readonly string[];
  readonly subscriptions: readonly string[];
};

/** Describes the relation of that name, such as `public.dlq_events`; undefined if there is none. Changes nothing. */
export async function inspectTable(client: pg.Client, name: string): Promise<Table | undefined> {
  const { rows } = await client.query<{ oid: number | null }>('select to_regclass($1)::oid as oid', [name]);
  const oid = rows[0]?.oid;
  if (!oid) return undefined;
  const described = await client.query<Omit<Table, 'oid'>>(await readStatement('inspect-table'), [oid]);
  return { oid, ...(described.rows[0] as Omit<Table, 'oid'>) };
}
