-- An action, also by the id of its outcome, and the run with a patch that has made it, if that has not ended.
select
  id, action, at, details ->> 'target' as target,
  (select dlq_runs.id from dlq_runs where dlq_runs.id = run_id and ended_at is null) as open_run_id,
  (action = 'edit' or details ?| '{sets,edited}') as has_events
from dlq_audit
where id = (select coalesce(closes, id) from dlq_audit where id = :auditId::bigint);
