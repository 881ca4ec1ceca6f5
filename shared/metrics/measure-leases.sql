-- Events with an expired lease, and those of them that are stuck: their lease had ended 10 s before the
-- schedule last asked for a tick, which should have claimed them. A tick that finds another one running
-- counts: no worker claims them then.
select
  coalesce(sum(processing) filter (where lease_expires_at <= now()), 0)::float8 as expired_leases,
  coalesce(sum(processing) filter (
    where lease_expires_at < coalesce(tick.due_at, now()) - interval '10 seconds'
  ), 0)::float8 as stuck_events
from dlq_counts_current_exact
left join (
  select due_at from dlq_runs where trigger = 'schedule' order by id desc limit 1
) as tick on true
where lease_expires_at is not null;
