-- Functions with their source.
select oid::regprocedure::text as about, rtrim(pg_get_functiondef(oid), E'\n') || ';' as line
from pg_proc
where pronamespace = 'public'::regnamespace
order by oid::regprocedure::text collate "C";
