-- One page of the deliveries of an event, the newest first, with ids below :before.
select id, run_id, number, outcome, target, started_at, duration_ms, response_status, response_body, error
from dlq_attempts
where event_id = :eventId and id < :before
order by id desc
limit :max;
