-- Lists unfinished, unpaused replays without deliveries in flight, whose time has come. A worker between two
-- batches may still be working on one of them: two workers of one run do no harm.
select id
from dlq_runs
where trigger = 'replay' and ended_at is null and paused_because is null and in_flight = 0
  and (rollout ? 'startAt' and (rollout ->> 'startAt')::timestamptz > now()) is not true
order by id;
