import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';
import { compareFile, replaceRows } from '../support/renewed-file.ts';

/** The columns of each relation, and those that a role may use by each verb. */
const rights = `
  select role.rolname as role, relname as relation, verb, array_agg(attname::text order by attnum) as columns,
    coalesce(array_agg(attname::text order by attnum) filter (where case verb
      when 'DELETE' then has_table_privilege(role.oid, pg_class.oid, verb)
      else has_column_privilege(role.oid, pg_class.oid, attnum, verb) end), '{}') as allowed
  from pg_roles role
  cross join unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) with ordinality as verbs(verb, nth)
  cross join pg_class
  join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
  where rolname ~ '^dlq_[a-z]+$' and rolname <> 'dlq_owner'
    and relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
    and (verb = 'SELECT' or relkind <> 'v' and attgenerated = '')
  group by role.rolname, relname, verb, nth
  order by role.rolname, relname, nth`;

type Right = Readonly<Record<'role' | 'relation' | 'verb', string>> & {
  readonly columns: string[];
  readonly allowed: string[];
};

describe('the rights of docs/security.md', () => {
  const database = useDatabase();

  it('are all that each role has on each column of each table', async (t) => {
    const byRelation = Map.groupBy(
      await database().sql<Right>(rights),
      ({ role, relation }) => `${role} ${relation}`,
    );
    const alike = new Map<string, string[]>();
    for (const all of byRelation.values()) {
      const [{ role, relation } = assert.fail()] = all;
      const cells = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map((verb) => {
        const { columns = [], allowed = [] } = all.find((each) => each.verb === verb) ?? {};
        if (allowed.length > 0 && allowed.length === columns.length) return 'all';
        return allowed.map((column) => `\`${column}\``).join(', ');
      });
      const row = [`\`${role}\``, ...cells].join(' | ');
      if (cells.some(Boolean)) alike.set(row, [...(alike.get(row) ?? []), `\`${relation}\``]);
    }
    const rows = [...alike].map(([row, names]) => {
      const [role = '', ...cells] = row.split(' | ');
      return [role, names.join(', '), ...cells];
    });
    compareFile(t, 'docs/security.md', (text) => replaceRows(text, 'role matrix', rows));
  });

  it('are of roles that its table of logins has', async () => {
    const [, table = ''] = readFileSync('docs/security.md', 'utf8').split('| login | role | privileges |');
    const listed = new Set(table.split('\n\n')[0]?.match(/dlq_[a-z]+/g));
    const roles = new Set((await database().sql<Right>(rights)).map(({ role }) => role));
    assert.deepEqual([...roles].sort(), [...listed].sort());
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
