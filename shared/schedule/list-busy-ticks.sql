-- Lists the latest retry ticks before a run that claimed or refused events or are still running.
select {tickColumns} from dlq_runs
where trigger = 'schedule' and id < :before::bigint
  and (ended_at is null or (tally ->> 'claimed')::int + coalesce((tally ->> 'refused')::int, 0) > 0)
order by id desc
limit :limit::int;
