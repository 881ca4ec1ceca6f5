-- Tables, partitions and views, without columns and constraints.
select
  relation.oid::regclass::text as about,
  case relpersistence when 'u' then 'UNLOGGED ' else '' end
    || case relkind when 'v' then 'VIEW' when 'm' then 'MATERIALIZED VIEW' else 'TABLE' end as kind,
  case
    when relispartition then (
      select format('PARTITION OF %s %s', inhparent::regclass, pg_get_expr(relpartbound, relation.oid))
      from pg_inherits
      where inhrelid = relation.oid
    )
    when relkind in ('v', 'm') then format(E'AS\n%s', rtrim(pg_get_viewdef(relation.oid, true), ';'))
  end as source,
  concat(' PARTITION BY ' || pg_get_partkeydef(relation.oid), ' WITH (' || options || ')') as settings
from pg_class as relation
cross join lateral (
  select string_agg(option, ', ' order by option collate "C") as options
  from (
    select unnest(relation.reloptions) as option
    union all
    select 'toast.' || unnest(reloptions) from pg_class where oid = relation.reltoastrelid
  ) as each
) as settings
where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
order by relname collate "C";
