-- Grants what is granted on the table $1 and its columns, and on its sequence, on the table $2. The owner of the old table keeps
-- the rights of an owner as grants. Returns the statements.
with pairs as (
  select $1::text as old_name, $2::text as new_name, 'r'::"char" as kind
  union all
  select pg_get_serial_sequence($1::text, 'id'), pg_get_serial_sequence($2::text, 'id'), 's'
  where pg_get_serial_sequence($1::text, 'id') is not null and pg_get_serial_sequence($2::text, 'id') is not null
),
granted as (
  select new_name, case kind when 's' then 'sequence ' else '' end as noun, acl.*, null::text as column_name,
    (select relowner from pg_class where oid = new_name::regclass) as new_owner
  from pairs
  join pg_class on oid = old_name::regclass
  cross join lateral aclexplode(coalesce(relacl, acldefault(kind, relowner))) as acl
  union all
  select new_name, '', acl.*, quote_ident(attname), (select relowner from pg_class where oid = new_name::regclass)
  from pairs
  join pg_attribute on attrelid = old_name::regclass and kind = 'r' and attnum > 0 and not attisdropped
  cross join lateral aclexplode(attacl) as acl
)
select format('grant %s%s on %s%s to %s%s',
  privilege_type, ' (' || column_name || ')', noun, new_name,
  case grantee when 0 then 'public' else grantee::regrole::text end,
  case when is_grantable then ' with grant option' else '' end) as statement
from granted
where grantee <> new_owner
