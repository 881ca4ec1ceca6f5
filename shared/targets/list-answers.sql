-- The latest :max deliveries to a target, the newest first.
select event_id, run_id, outcome, started_at, duration_ms, response_status, left(coalesce(error, response_body), 300) as answer
from dlq_attempts
where target = :target
order by id desc
limit :max::int;
