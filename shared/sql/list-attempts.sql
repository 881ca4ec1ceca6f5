-- The deliveries of one event, the latest first.
select id, run_id, number, outcome, target, started_at, duration_ms, response_status, response_body, error
from dlq_attempts
where event_id = :eventId
order by id desc
limit :most;
