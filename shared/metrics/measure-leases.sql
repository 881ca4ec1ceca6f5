-- Events with an expired lease, and those of them that are stuck: their lease had ended 10 s before the
-- schedule last asked for a tick, which should have claimed them. A tick that finds another one running
-- counts: no worker claims them then. Of the events, reads those of leases that have ended.
select
  count(distinct event.id)::float8 as expired_leases,
  (count(distinct event.id) filter (where lease_expires_at + interval '10 seconds' < coalesce(
    (select due_at from dlq_runs where trigger = 'schedule' order by id desc limit 1), now())))::float8
    as stuck_events
from dlq_leases
cross join lateral unnest(event_ids) as leased (event_id)
cross join lateral (
  select id, lease_expires_at from dlq_events
  where id = leased.event_id and lease_token = token and lease_expires_at <= now() offset 0
) as event
where target is null and now() - leased_at >= make_interval(secs => seconds);
