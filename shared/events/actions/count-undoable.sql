-- Of each action, how many of its events an undo returns to their state, and leaves for which reason. Looks
-- at the first :max of each, null: at all.
select
  id::text, coalesce(sum(events) filter (where reason is null), 0)::int as remaining,
  coalesce(jsonb_object_agg(reason, events) filter (where reason is not null), '{}') as kept,
  coalesce(sum(events) < :max::int, true) as is_exact
from unnest(:ids::bigint[]) as wanted (id)
left join lateral (
  select reason, count(*) as events
  from (select reason from dlq_undoable where audit_id = wanted.id limit :max::int) as first
  group by reason
) as counted on true
group by id;
