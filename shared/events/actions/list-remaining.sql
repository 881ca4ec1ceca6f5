-- Of each action, how many of its events an undo would return. Looks at the first :max of each.
select wanted.id::text, remaining, is_exact
from unnest(:ids::bigint[]) as wanted (id)
cross join lateral (
  select (count(*) filter (where reason is null))::int as remaining, count(*) < :max as is_exact
  from (select reason from dlq_undoable where audit_id = wanted.id limit :max) as first
) as counted;
