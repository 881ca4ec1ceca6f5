-- One page of the events in {table} that a filter matches, in the part of the list that a position names;
-- page-position.ts makes {time}, {isBefore}, {isReached} and {latestFirst}.
select
  event.id, event.event_type, event.status, event.priority,
  left(event.error_reason, 1000) as error_reason, event.error_class, event.answer, event.failure_kind,
  event.fingerprint, event.source_kind, event.source_topic,
  event.source_subscription, event.consumer_group, event.source_key as key,
  event.event_id, event.trace_id, event.retry_count,
  event.failure_count, event.created_at as captured_at, event.last_failure_at as failed_at,
  event.occurred_at, nullif(event.retry_after, 'infinity') as retry_after, event.processed_at, event.edited_from,
  (
    select min(id) from dlq_events where edited_from = coalesce(event.edited_from, event.id) and id > event.id
  ) as replaced_by,
  {time} as time
from {table} as event
where ({filter}) and {isBefore} and {isReached}
order by {latestFirst}
limit :max;
