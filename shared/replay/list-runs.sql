-- Lists a page of replays older than :before, newest first.
select {runColumns}
from dlq_runs
where trigger = 'replay' and id < :before::bigint
order by id desc
limit :limit::int;
