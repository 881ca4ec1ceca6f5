-- Lists unfinished replays without deliveries in flight that are not paused. A worker between two batches may
-- still be working on one of them: two workers of one run do no harm.
select id
from dlq_runs
where trigger = 'replay' and ended_at is null and in_flight = 0
  and paused_because is null
order by id;
