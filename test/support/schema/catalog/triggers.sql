-- Triggers, except those that PostgreSQL creates for constraints.
select tgrelid::regclass::text as about, pg_get_triggerdef(pg_trigger.oid, true) || ';' as line
from pg_trigger
join pg_class on pg_class.oid = tgrelid
where relnamespace = 'public'::regnamespace and not tgisinternal
order by tgname collate "C";
