-- The permanently failed events that wait in open replays, by error group. Looks at :max waiting events.
select fingerprint, count(*)::int as events
from (
  select event_id
  from dlq_runs
  cross join lateral (
    select event_id from dlq_run_events
    where run_id = dlq_runs.id and outcome = 'waiting' and not is_leased
    limit :max::int
  ) as own
  where trigger = 'replay' and ended_at is null
  limit :max::int
) as waiting
cross join lateral (
  select fingerprint from dlq_events
  where id = waiting.event_id and status = 'FAILED_PERMANENTLY' limit 1
) as event
group by fingerprint;
