-- Lists the latest retry ticks before a run.
select {tickColumns} from dlq_runs
where trigger = 'schedule' and id < :before::bigint
order by id desc
limit :limit::int;
