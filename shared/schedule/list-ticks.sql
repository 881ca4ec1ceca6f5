-- Lists the latest retry ticks before a run.
select id, started_at, ended_at, tally, targets, {stopped} as stopped
from dlq_runs
where trigger = 'schedule' and id < :before::bigint
order by id desc
limit :limit::int;
