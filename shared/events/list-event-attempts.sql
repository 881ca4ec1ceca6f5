-- One page of the deliveries of an event, the newest first, with ids below :before. `edited`: its run sends
-- edited messages; an event that the edit does not fit has no attempt.
select
  id, run_id, number, outcome, target, started_at, duration_ms,
  response_status, response_body, error,
  coalesce((select is_edited from dlq_runs where dlq_runs.id = dlq_attempts.run_id), false) as edited
from dlq_attempts
where event_id = :eventId and id < :before
order by id desc
limit :max;
