-- Finds due events that are the first of their key in ordered lanes, so that no earlier event blocks them. Each lane
-- continues after its key `after`, or from its beginning, for up to :max keys or until :limit heads are found. One index
-- lookup per key: events behind a head are never read, even if there are millions.
with recursive walk as (
  select lane, after as source_key, null::bigint as id, null::smallint as priority, 0 as keys, 0 as found
  from json_to_recordset(:lanes) as wanted (lane bigint, after text)
  union all
  select
    walk.lane, head.source_key, case when head.is_due then head.id end, case when head.is_due then head.priority end,
    keys + 1, found + head.is_due::int
  from walk
  cross join lateral (
    select
      source_key, id, priority,
      is_open and retry_after <= :dueAt and (status <> 'PROCESSING' or lease_expires_at <= now()) as is_due
    from dlq_events
    where is_blocking and source_key is not null and lane = walk.lane
      -- The sequence of the next key: after all of this key, before all of the first.
      and (source_key, sequence) > (
        coalesce(walk.source_key, ''), case when walk.source_key is null then -1 else 9223372036854775807 end)
    order by source_key, sequence, id
    limit 1
  ) as head
  where keys < :max::int and found < :limit::int
)
select
  lane::text,
  coalesce(array_agg(id::text) filter (where id is not null), '{}') as ids,
  min(priority) as priority,
  max(keys) < :max::int and max(found) < :limit::int as is_end,
  (array_agg(source_key order by keys desc))[1] as after
from walk
group by lane;
