-- One page of the deliveries of an event, the last one first, from before the last one of the page before.
select
  id, run_id as "runId", number, outcome, target, started_at as "startedAt", duration_ms as "durationMs",
  response_status as "responseStatus", response_body as "responseBody", error
from dlq_attempts
where event_id = :eventId and id < :before
order by id desc
limit :most;
