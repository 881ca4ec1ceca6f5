-- Counts a run's events by outcome and reason. Of the delivered ones it also counts those that recurred, and those that
-- were quiet for 24 hours.
select
  run_event.outcome, run_event.reason, count(*)::int as events,
  count(*) filter (where event.failure_count > run_event.failure_count)::int as recurred,
  count(*) filter (
    where (event.failure_count > run_event.failure_count) is not true
      and run_event.settled_at <= now() - interval '24 hours')::int as quiet
from dlq_run_events as run_event
left join dlq_events as event on event.id = run_event.event_id and run_event.outcome = 'delivered'
where run_event.run_id = :runId::bigint and run_event.outcome in ('delivered', 'failed', 'skipped')
group by run_event.outcome, run_event.reason;
