-- How many events of an action its undo returns to their state, and leaves for which reason.
select
  coalesce(sum(events) filter (where reason is null), 0)::int as remaining,
  coalesce(jsonb_object_agg(reason, events) filter (where reason is not null), '{}') as kept
from (
  select reason, count(*) as events from dlq_undoable where audit_id = :auditId::bigint group by reason
) as counted;
