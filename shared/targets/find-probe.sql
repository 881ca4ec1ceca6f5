-- The pending event that a probe of a target sends: of each lane the one that has been due longest, and in an
-- ordered lane the first of its key. Looks at 20 events per lane. Returns no row if none can be sent.
select event.id
from json_to_recordset(:lanes) as wanted (lane bigint, is_ordered boolean)
cross join lateral (
  select id, lane, source_key, sequence, retry_after
  from dlq_events
  where is_open and dlq_events.lane = wanted.lane and status = 'PENDING'
    and retry_after < 'infinity'
  order by priority, retry_after
  limit 20
) as event
where not wanted.is_ordered or event.source_key is null or not exists (
  select
  from dlq_events as earlier
  where earlier.is_blocking and earlier.lane = event.lane and earlier.source_key = event.source_key
    and (earlier.sequence, earlier.id) < (event.sequence, event.id)
)
order by event.retry_after
limit 1;
