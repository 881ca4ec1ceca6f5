-- The types, error classes, consumers and subscriptions of the latest error groups, from one event of each:
-- the events themselves are too many to read. An event that was archived meanwhile is omitted.
select
  coalesce(array_agg(distinct event.event_type), '{}') as event_types,
  coalesce(array_remove(array_agg(distinct error_class), null), '{}') as error_classes,
  coalesce(array_remove(array_agg(distinct consumer_group), null), '{}') as consumer_groups,
  coalesce(array_remove(array_agg(distinct source_subscription), null), '{}') as subscriptions
from (select sample_event_id from dlq_error_groups order by last_seen_at desc limit :groups) as latest
join dlq_events as event on event.id = latest.sample_event_id;
