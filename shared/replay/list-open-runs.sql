-- Replays that have not ended: those that are paused first, the longest of them first, then the newest.
select {runColumns}
from dlq_runs
where trigger = 'replay' and ended_at is null
order by paused_because is null, case when paused_because is not null then id end, id desc
limit :limit::int;
