-- Lists unfinished replays without deliveries in flight, whose time has come and that are not paused, or
-- whose time is over. A worker between two batches may still be working on one of them: two workers of one
-- run do no harm.
select id
from dlq_runs
where trigger = 'replay' and ended_at is null and in_flight = 0
  and (rollout ->> 'startAt')::timestamptz > now() is not true
  and (paused_because is null or (rollout ->> 'notAfter')::timestamptz <= now())
order by id;
