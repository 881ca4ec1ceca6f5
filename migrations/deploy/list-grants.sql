-- Lists the missing changes as statements: each login of the list is a member of its group role and of no
-- other group role, and a former one of none. Other logins keep what was granted to them by hand. $1: a list
-- of {"role", "login"}, $2: former logins.
with wanted as (
  select role, login from jsonb_to_recordset($1::jsonb) as wanted (role text, login text)
),
held as (
  select roles.rolname::text as role, logins.rolname::text as login
  from pg_auth_members
  join pg_roles roles on roles.oid = roleid and starts_with(roles.rolname, 'dlq_')
  join pg_roles logins on logins.oid = member
  where logins.rolname in (select login from wanted) or logins.rolname = any($2)
)
select format('revoke %I from %I', role, login) as statement from (table held except table wanted) as needless
union all
select format('grant %I to %I', role, login) from (table wanted except table held) as missing
