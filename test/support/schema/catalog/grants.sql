-- Rights of all roles except owners: one line per role, with the columns of rights on columns.
select about,
  format('GRANT %s ON %s TO %s;', string_agg(right_name, ', ' order by right_name collate "C"), object, role) as line
from (
  select about, object, role,
    concat(privilege_type, ' (' || string_agg(quote_ident(attname), ', ' order by attnum) || ')') as right_name
  from (
    select oid::regclass::text as about, oid::regclass::text as object, relowner as owner, relacl as acl,
      relnamespace as namespace, null as attname, null as attnum
    from pg_class
    union all
    select attrelid::regclass::text, attrelid::regclass::text, relowner, attacl, relnamespace, attname, attnum
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    union all
    select oid::regprocedure::text, 'FUNCTION ' || oid::regprocedure, proowner,
      coalesce(proacl, acldefault('f', proowner)), pronamespace, null, null
    from pg_proc
  ) as granted
  cross join lateral aclexplode(acl)
  cross join lateral (select case grantee when 0 then 'PUBLIC' else grantee::regrole::text end) as named (role)
  where namespace = 'public'::regnamespace and grantee <> owner
  group by about, object, role, privilege_type, attname is null
) as rights
group by about, object, role
order by role collate "C";
