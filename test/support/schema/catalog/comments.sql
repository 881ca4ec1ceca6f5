-- Comments on relations, columns and functions.
select object as about,
  format('COMMENT ON %s %s IS %L;', case when objsubid = 0 then kind else 'COLUMN' end,
    concat_ws('.', object, quote_ident(attname)), description) as line
from pg_description
join (
  select oid, tableoid, relnamespace as namespace, oid::regclass::text as object,
    case relkind when 'v' then 'VIEW' when 'm' then 'MATERIALIZED VIEW' else 'TABLE' end as kind
  from pg_class
  where relkind in ('r', 'p', 'v', 'm')
  union all
  select oid, tableoid, pronamespace, oid::regprocedure::text, 'FUNCTION' from pg_proc
) as described on described.oid = objoid and described.tableoid = classoid
left join pg_attribute on attrelid = objoid and attnum = objsubid and objsubid > 0
where namespace = 'public'::regnamespace
order by objsubid;
