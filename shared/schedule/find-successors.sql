-- The events after delivered ones of their keys that were due at :dueAt and that their route does not refuse.
select event.id, lane::text, priority, event_type, source_kind, source_topic, consumer_group,
  cause::text
from unnest(:delivered::bigint[]) as delivered (id)
cross join lateral (
  select dlq_blocked_by(order_key, coalesce(consumer_group, source_subscription), null) as next_id
  from dlq_events where id = delivered.id limit 1
) as following
cross join lateral (
  select * from dlq_events where id = nullif(next_id, delivered.id) limit 1
) as event
where retry_after <= :dueAt and dlq_why_not_now(event, :rules::json -> lane::text) is null;
