-- The latest retry ticks; with :isBusy only those that had something to do.
select id, started_at, ended_at, stopped, tally, targets
from dlq_runs
where trigger = 'schedule' and id < :before::bigint
  and (not :isBusy::boolean or ended_at is null or (tally ->> 'claimed')::int > 0)
order by id desc
limit :limit::int;
