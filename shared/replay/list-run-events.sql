-- Lists a page of a run's events after :after, in order of capture. `verdict` of a delivered event: it recurred (its
-- consumer failed again), it was quiet for 24 hours (like in sum-run.sql), or they are not over yet.
select judged.*, attempt.error
from (
  select
    run_event.event_id as id, event.event_type, event.source_kind, event.source_topic, event.consumer_group, event.status,
    run_event.outcome,
    run_event.reason, run_event.detail, encode(run_event.sent_digest, 'hex') as sent_digest, run_event.settled_at,
    run_event.leased_until is not null as in_flight,
    case
      when run_event.outcome <> 'delivered' then null
      when event.failure_count > run_event.failure_count then 'recurred'
      when run_event.settled_at <= now() - interval '24 hours' then 'quiet'
      else 'delivered'
    end as verdict
  from dlq_run_events as run_event
  left join dlq_events as event on event.id = run_event.event_id
  where run_event.run_id = :runId::bigint and run_event.event_id > :after::bigint
    and (:outcome::text is null or run_event.outcome = :outcome)
) as judged
left join lateral (
  select error
  from dlq_attempts
  where event_id = judged.id and run_id = :runId and judged.outcome = 'failed'
  order by dlq_attempts.id desc
  limit 1
) as attempt on true
where :verdict::text is null or verdict = :verdict
order by judged.id
limit :limit::int;
