-- Open events wait for no longer than the clock ahead of this one meant. Looks for them only if the latest
-- event or run seems to come from the future: the clock has stepped back.
update dlq_events
set retry_after = now() + greatest(interval '0', retry_after - updated_at), updated_at = now()
where is_open and status = 'PENDING' and retry_after > now() and isfinite(retry_after)
  and updated_at > now() + interval '5 seconds'
  and (
    (select created_at from dlq_events order by id desc limit 1) > now() + interval '5 seconds'
    or (select greatest(started_at, ended_at) from dlq_runs order by id desc limit 1)
      > now() + interval '5 seconds'
  )
returning id;
