-- One page of the actions of operators, the newest first, with ids below :before: on one event (:eventId),
-- alone or with others, by one run (:runId), on one error group (:fingerprint) and those merged into it, or
-- all; of actors whose name contains :actor, of one kind (:action), from :since on. An action that has ended
-- includes its outcome.
select
  audit.id, audit.at, audit.actor, audit.action, audit.reason, audit.run_id, audit.event_id,
  audit.details, coalesce(own.title, audit.details ->> 'fingerprint') as title,
  outcome.details as outcome, outcome.at as ended_at
from dlq_audit as audit
left join dlq_audit as outcome on outcome.closes = audit.id
left join dlq_error_groups as own on own.fingerprint = audit.details ->> 'fingerprint'
where audit.closes is null and audit.id < :before
  and (:actor::text is null or strpos(lower(audit.actor), lower(:actor)) > 0)
  and (:action::text is null or audit.action = :action)
  and (:since::timestamptz is null or audit.at >= :since)
  and (:runId::bigint is null or audit.run_id = :runId)
  and (:fingerprint::text is null or audit.id in (
    select id from dlq_audit
    where details ? 'fingerprint' and details ->> 'fingerprint' = any (
      array(select member from dlq_group_members where fingerprint = :fingerprint) || :fingerprint)
    union all
    select id from dlq_audit where details ? 'merged' and details ->> 'merged' = :fingerprint
  ))
  and (:eventId::bigint is null or audit.id in (
    select id from dlq_audit where event_id = :eventId
    union all
    select audit_id from dlq_audit_events where event_id = :eventId
    union all
    select run_action.id
    from dlq_attempts as attempt
    join dlq_audit as run_action on run_action.run_id = attempt.run_id
    where attempt.event_id = :eventId
  ))
order by audit.id desc
limit :max;
