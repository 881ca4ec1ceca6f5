-- Error groups without a title, each with the failure of an event of the group: the latest of an event that is in it, else
-- the first of an event that has moved to another group, else that of the recorded event: without a first failure of its own it
-- moved away from a group without a reason.
select
  error_group.fingerprint, failure.event_type, failure.consumer, failure.error_class, failure.error_reason,
  left(failure.error_stacktrace, 65536) as error_stacktrace
from dlq_error_groups as error_group
left join lateral (
  (
    select
      event_type, coalesce(source_subscription, consumer_group) as consumer, error_class, error_reason, error_stacktrace
    from dlq_events as event
    where event.fingerprint = error_group.fingerprint
    order by fingerprint desc, id desc
    limit 1
  )
  union all
  (
    select
      event_type, coalesce(source_subscription, consumer_group), first_error_class, first_error_reason,
      first_error_stacktrace
    from dlq_events as event
    where event.first_fingerprint = error_group.fingerprint
    limit 1
  )
  union all
  (
    select event_type, coalesce(source_subscription, consumer_group), null, 'not reported', null
    from dlq_events as event
    where event.id = error_group.sample_event_id and event.first_fingerprint is null
  )
  limit 1
) as failure on true
where error_group.title is null
limit :limit::int;
