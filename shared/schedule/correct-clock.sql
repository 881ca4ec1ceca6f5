-- After a step back of the clock an event waits as long as it was meant to, and its lease lasts so. Looks for
-- events only if the latest of them, or one of the runs that began last, seems to come from the future.
update dlq_events
set retry_after = least(retry_after, now() + greatest(interval '0', retry_after - updated_at)),
    lease_expires_at = now() + (lease_expires_at - updated_at), updated_at = now()
where is_open and isfinite(retry_after) and (retry_after > now() or status = 'PROCESSING')
  and updated_at > now() + interval '5 seconds' and greatest(
    (select max(created_at) from dlq_events), (select max(greatest(started_at, ended_at))
      from (select * from dlq_runs order by started_at desc limit 10) as latest)
  ) > now() + interval '5 seconds'
returning id;
