-- Picks the next :max waiting events of a run, after the position :after, and says why one of them cannot go.
-- An event that changed since it was selected will never go; one that is leased under a lease that has ended
-- goes later. blocked_by is the earlier event of its key, if its route is ordered, and is_blocker_waiting
-- whether that one waits in this run, too. Each key is asked once for its first event, and again for each
-- closed event, which waits only for those before it. One index lookup for each event and blocker: without
-- statistics about a new run, the planner would read all waiting events, to sort or hash them.
with recursive waiting as (
  select :after::int as position, null::bigint as event_id, 0 as failure_count, null as status, 0 as steps
  union all
  select following.*, steps + 1
  from waiting
  cross join lateral (
    select position, event_id, failure_count, status
    from dlq_run_events
    where run_id = :runId::bigint and outcome = 'waiting' and not is_leased and position > waiting.position
    order by position
    limit 1
  ) as following
  where steps < :max::int
),
picked as (
  select
    waiting.event_id as id, waiting.position, event.event_type, event.source_kind, event.source_topic,
    event.consumer_group, event.cause::text, case when :hasOrdered then order_key end as key,
    coalesce(event.consumer_group, source_subscription, '') as consumer, not event.is_blocking as is_closed,
    case
      when event.id is null then 'gone'
      when event.status = 'PROCESSING' and event.lease_expires_at > now() then 'leased'
      when event.status = 'PROCESSING' then 'recovering'
      when event.failure_count <> waiting.failure_count then 'captured-again'
      when event.status = 'SUCCEEDED' and waiting.status <> 'SUCCEEDED' then 'delivered'
      when event.status = 'DISCARDED' and waiting.status <> 'DISCARDED' then 'discarded'
    end as why_not
  from waiting
  left join lateral (select * from dlq_events where id = waiting.event_id limit 1) as event on true
  where steps > 0
)
select
  picked.id, position, event_type, source_kind, source_topic, consumer_group, cause, why_not,
  key || ' ' || consumer as key, blocked_by, outcome is not distinct from 'waiting' as is_blocker_waiting
from picked
left join (
  select key, consumer, id, (select outcome from dlq_run_events where run_id = :runId and event_id = id)
  from (select distinct key, consumer from picked where key is not null) as keys
  cross join dlq_blocked_by(key, consumer, null) as id
) as head using (key, consumer)
cross join lateral (
  select case when is_closed and head.id is not null then dlq_blocked_by(key, consumer, picked.id)
    else nullif(head.id, picked.id) end as blocked_by
) as place
order by position;
