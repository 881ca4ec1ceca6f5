-- Some events without a fingerprint: written by plain SQL, or completed by it. Of a stack its beginning is enough. In the
-- order of the index by fingerprint, or the planner may walk over all events in search of these.
select
  id, event_type, coalesce(source_subscription, consumer_group) as consumer, error_class, error_reason,
  left(error_stacktrace, 65536) as error_stacktrace
from dlq_events
where fingerprint is null
order by fingerprint, id
limit :limit::int;
