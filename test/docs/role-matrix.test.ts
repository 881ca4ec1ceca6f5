import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { useDatabase } from '../support/database.ts';
import { compareFile, replaceRows } from '../support/renewed-file.ts';
import { isRefusal } from '../support/roles.ts';

type Relation = { readonly name: string; readonly columns: string[]; readonly writable: string[] };

// None of them changes a row: rights are checked before the first row is looked for.
const attempts: Record<string, (relation: string, column: string) => string> = {
  select: (relation, column) => `select ${column} from ${relation} where false`,
  insert: (relation, column) =>
    `insert into ${relation} (${column}) overriding system value select null where false`,
  update: (relation, column) => `update ${relation} set ${column} = default where false`,
  delete: (relation) => `delete from ${relation} where false`,
};

describe('the rights of docs/security.md', () => {
  const database = useDatabase();
  let relations: Relation[] = [];
  let roles: string[] = [];
  before(async () => {
    relations = await database().sql<Relation>(
      `select relname as name, array_agg(attname::text order by attnum) as columns,
         coalesce(array_agg(attname::text order by attnum) filter (where relkind <> 'v' and attgenerated = ''), '{}') as writable
       from pg_class
       join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
       group by relname, relkind
       order by relname`,
    );
    const rows = await database().sql<{ name: string }>(
      `select rolname as name from pg_roles where rolname ~ '^dlq_[a-z]+$' and rolname <> 'dlq_owner' order by rolname`,
    );
    roles = rows.map(({ name }) => name);
  });

  const inRole = async <T>(role: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: database().url });
    await client.connect();
    try {
      await client.query(`set role ${role}`);
      return await work(client);
    } finally {
      await client.end();
    }
  };
  const isAllowed = async (client: pg.Client, text: string): Promise<boolean> => {
    try {
      await client.query(text);
      return true;
    } catch (error) {
      assert.ok(isRefusal(error), `${text}: ${error}`);
      return false;
    }
  };

  /** The columns of a relation on which one verb is allowed, as the page lists them. */
  const tryColumns = async (client: pg.Client, verb: string, { name, columns, writable }: Relation) => {
    const tried = { select: columns, delete: writable.slice(0, 1) }[verb] ?? writable;
    const allowed: string[] = [];
    for (const column of tried) {
      if (await isAllowed(client, attempts[verb]?.(name, column) ?? '')) allowed.push(column);
    }
    if (allowed.length > 0 && allowed.length === tried.length) return 'all';
    return allowed.map((column) => `\`${column}\``).join(', ');
  };
  const tryRelation = async (client: pg.Client, relation: Relation) => {
    const cells: string[] = [];
    for (const verb of Object.keys(attempts)) cells.push(await tryColumns(client, verb, relation));
    return cells;
  };

  /** The table of a role: a row for all relations on which it has the same rights. */
  const listRights = async (role: string) => {
    const alike = new Map<string, string[]>();
    await inRole(role, async (client) => {
      for (const relation of relations) {
        const cells = await tryRelation(client, relation);
        const rights = cells.join(' | ');
        if (cells.some(Boolean)) alike.set(rights, [...(alike.get(rights) ?? []), `\`${relation.name}\``]);
      }
    });
    return [...alike].map(([rights, names]) => [`\`${role}\``, names.join(', '), ...rights.split(' | ')]);
  };

  it('are all that each role has, tried on each column of each table', async (t) => {
    const rows: string[][] = [];
    for (const role of roles) rows.push(...(await listRights(role)));
    compareFile(t, 'docs/security.md', (text) => replaceRows(text, 'role matrix', rows));
  });

  it('are all functions that each role may execute', async (t) => {
    const rows = await database().sql<{ roles: string; functions: string }>(
      `select roles, string_agg(format('\`%s\`', proname), ', ' order by proname) as functions
       from (
         select proname, string_agg(format('\`%s\`', grantee::regrole), ', ' order by grantee::regrole::text) as roles
         from pg_proc
         cross join lateral aclexplode(coalesce(proacl, acldefault('f', proowner)))
         where pronamespace = 'public'::regnamespace and grantee <> proowner
         group by pg_proc.oid, proname
       ) as granted
       group by roles
       order by roles`,
    );
    const cells = rows.map(({ roles, functions }) => [roles, functions]);
    compareFile(t, 'docs/security.md', (text) => replaceRows(text, 'role functions', cells));
  });

  it('include no right to truncate, to refer, to add triggers or to use a sequence', async () => {
    const rights = await database().sql(
      `select relname, grantee, privilege_type
       from pg_class cross join lateral aclexplode(relacl)
       where relnamespace = 'public'::regnamespace and grantee <> relowner
         and (relkind = 'S' or privilege_type not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE'))`,
    );
    assert.deepEqual(rights, []);
  });
});
