-- Indexes, except those that a constraint or the index of a parent creates.
select indrelid::regclass::text as about, pg_get_indexdef(indexrelid, 0, true) || ';' as line
from pg_index
join pg_class on pg_class.oid = indexrelid
where relnamespace = 'public'::regnamespace and not relispartition
  and not exists (select from pg_constraint where conindid = indexrelid)
order by relname collate "C";
