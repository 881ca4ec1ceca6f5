-- One page of the archived events that a filter matches, as list-events.sql does it for the others.
select
  event.id, event.event_type as "eventType", event.status, event.priority,
  left(event.error_reason, 1000) as "errorReason", event.error_class as "errorClass", event.failure_kind as "failureKind",
  event.fingerprint, event.source_kind as "sourceKind", event.source_topic as "sourceTopic",
  event.source_subscription as "sourceSubscription", event.consumer_group as "consumerGroup", event.source_key as "key",
  event.event_id as "eventId", event.trace_id as "traceId", event.retry_count as "retryCount",
  event.failure_count as "failureCount", event.created_at as "capturedAt", event.last_failure_at as "failedAt",
  event.occurred_at as "occurredAt", event.retry_after as "retryAfter", event.processed_at as "processedAt",
  :time as time
from dlq_events_archive as event
where (:filter) and :isBefore
order by :latestFirst
limit :most;
