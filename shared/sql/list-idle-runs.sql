-- Replays that are to go on and of which nothing is being delivered right now. One whose worker only draws breath may be
-- among them: two workers of one run do no harm.
select id
from dlq_runs
where trigger = 'replay' and ended_at is null and paused_because is null and in_flight = 0
order by id;
