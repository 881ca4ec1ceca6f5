-- Events whose worker let the lease run out: all of them, and those that the last tick should have taken up.
select
  coalesce(sum(events) filter (where lease_expires_at <= now()), 0)::float8 as expired,
  coalesce(sum(events) filter (where lease_expires_at < coalesce(tick.started_at, now())), 0)::float8 as stuck
from dlq_lease_ends
left join (
  select started_at from dlq_runs where trigger = 'schedule' order by id desc limit 1
) as tick on true;
