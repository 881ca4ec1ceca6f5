-- Error groups without a title, each with its latest event if dlq_events still has it.
select
  error_group.fingerprint, event.event_type, coalesce(event.source_subscription, event.consumer_group) as consumer,
  event.error_class, event.error_reason, left(event.error_stacktrace, 65536) as error_stacktrace
from dlq_error_groups as error_group
left join dlq_events as event on event.id = error_group.sample_event_id
where error_group.title is null
limit :limit::int;
