-- Up to 10,001 open events behind each of :ids. The offset keeps the planner from asking for the first one of
-- the key once for each event instead of once for each consumer.
select event.id::text, event.event_type, event.source_kind, event.source_topic, event.consumer_group,
  event.source_key as key, behind.events
from dlq_events as event
cross join lateral (
  select coalesce(sum(events), 0)::int as events
  from (
    select consumer, count(*) as events
    from (
      select coalesce(consumer_group, source_subscription, '') as consumer
      from dlq_events
      where is_blocking and is_open and order_key = event.order_key and dlq_events.id <> event.id
      limit 10001
    ) as waiting
    group by consumer
    offset 0
  ) as by_consumer
  where dlq_blocked_by(event.order_key, consumer, event.id) is null
) as behind
where event.id = any (:ids::bigint[]) and event.is_blocking and behind.events > 0
order by behind.events desc, event.id;
