-- Events with an expired lease, and those of them that are stuck: their lease had ended 10 s before the schedule last asked
-- for a tick, which should have claimed them. A tick that finds another one running counts: no worker claims them then.
select
  coalesce(sum(events) filter (where lease_expires_at <= now()), 0)::float8 as expired,
  coalesce(sum(events) filter (where lease_expires_at < coalesce(tick.due_at, now()) - interval '10 seconds'), 0)::float8 as stuck
from (
  select lease_expires_at, processing as events from dlq_counts_current where lease_expires_at is not null
  union all
  select lease_expires_at, processing from dlq_count_deltas where lease_expires_at is not null
) as leases
left join (
  select due_at from dlq_runs where trigger = 'schedule' order by id desc limit 1
) as tick on true;
