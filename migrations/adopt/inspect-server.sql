-- The rights of the login in the database, and which names of this product ($1) are taken.
select
  has_schema_privilege('public', 'create') as "mayCreate",
  current_user as login,
  rolsuper or rolcreaterole or exists (
    select from pg_roles where rolname = 'cloudsqlsuperuser' and pg_has_role(oid, 'set')) as "mayCreateRoles",
  array(
    select role from unnest($2::text[]) as role
    where not exists (select from pg_roles where rolname = role)) as "missingRoles",
  has_schema_privilege('public', 'public', 'create') as "everyoneCreates",
  current_setting('TimeZone') as "timeZone",
  array(
    select name from unnest($1::text[]) as name
    where to_regclass('public.' || name) is not null or to_regproc('public.' || name) is not null
      or to_regtype('public.' || name) is not null
    order by 1) as taken,
  array(
    select pg_class.oid::regclass::text
    from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace
    where relname = 'dlq_events' and relkind in ('r', 'p', 'v', 'm', 'f') and nspname not in ('public', 'pg_catalog')
      and not pg_is_other_temp_schema(relnamespace)
    order by 1) as elsewhere
from pg_roles
where rolname = current_user
