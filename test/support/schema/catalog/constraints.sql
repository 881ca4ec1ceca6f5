-- Constraints, except NOT NULL, which the columns show; in PostgreSQL 18 it is a constraint too.
select conrelid::regclass::text as about,
  format('CONSTRAINT %I %s', conname, pg_get_constraintdef(oid, true)) as line
from pg_constraint
where connamespace = 'public'::regnamespace and contype in ('c', 'p', 'u', 'f', 'x')
order by conname collate "C";
