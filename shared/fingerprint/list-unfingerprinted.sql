-- Up to :limit events without a fingerprint, which plain SQL inserted or changed, with the beginning of their
-- stack trace. Sorted as the index by fingerprint: without the order the planner may read all events to find
-- them.
select
  id, event_type, coalesce(source_subscription, consumer_group) as consumer, error_class, error_reason,
  left(error_stacktrace, 65536) as error_stacktrace
from dlq_events
where fingerprint is null
order by fingerprint, id
limit :limit::int;
