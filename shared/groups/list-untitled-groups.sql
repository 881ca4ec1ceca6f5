-- Error groups without a title, each with the failure of an event of the group: the latest of an event that
-- is in it, else the first of its recorded event, which has moved to another group since. As in
-- latest-event.ts, the range of one value keeps the lookup on its index.
select
  error_group.fingerprint, failure.event_type, failure.consumer, failure.error_class, failure.error_reason,
  left(failure.error_stacktrace, 65536) as error_stacktrace
from dlq_error_groups as error_group
left join lateral (
  (
    select
      event_type, coalesce(source_subscription, consumer_group) as consumer, error_class, error_reason,
      error_stacktrace
    from dlq_events as event
    where event.fingerprint between error_group.fingerprint and error_group.fingerprint
    order by fingerprint desc, id desc
    limit 1
  )
  union all
  (
    select
      event_type, coalesce(source_subscription, consumer_group), first.facts ->> 'error_class',
      coalesce(first.facts ->> 'error_reason', 'not reported'), first.facts ->> 'error_stacktrace'
    from dlq_events as event
    left join dlq_captures as first
      on first.event_id = event.id and first.is_original and first.facts ? 'error_reason'
    where event.id = error_group.sample_event_id
    order by first.id
    limit 1
  )
  limit 1
) as failure on true
where error_group.title is null
limit :limit::int;
