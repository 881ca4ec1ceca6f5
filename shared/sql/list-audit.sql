-- One page of what people did, the latest first, from before the last one of the page before: to one event (:eventId), by
-- themselves or with many others, or by one run (:runId), or to anything at all. An act that was told to have ended
-- brings its outcome along.
select
  audit.id, audit.at, audit.actor, audit.act, audit.reason, audit.run_id as "runId", audit.event_id as "eventId",
  audit.details, outcome.details as outcome, outcome.at as "endedAt"
from dlq_audit as audit
left join dlq_audit as outcome on outcome.closes = audit.id
where audit.closes is null and audit.id < :before
  and (:runId::bigint is null or audit.run_id = :runId)
  and (:eventId::bigint is null or audit.id in (
    select id from dlq_audit where event_id = :eventId
    union all
    select audit_id from dlq_audit_events where event_id = :eventId
    union all
    select run_act.id
    from dlq_attempts as attempt
    join dlq_audit as run_act on run_act.run_id = attempt.run_id
    where attempt.event_id = :eventId
  ))
order by audit.id desc
limit :most;
