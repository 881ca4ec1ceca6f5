-- Counts the events of lanes whose time has come, and those whose time comes within :soonSeconds, by the
-- conditions of a pick (pick-due.sql). In an ordered lane an event is behind its key if the first event of
-- the key is not due: it is being delivered, has failed permanently, or its time has not come. Most keys have
-- one event: only others are looked at. Reads up to :max events of each of :pairs of lane and priority: from
-- the index alone, but for ordered lanes and the types of events that are being delivered.
with leased as materialized (
  select event_type from dlq_counts_current_totals
  where event_type is not null group by event_type having sum(processing) > 0
)
select
  lane, count(*) filter (where is_due and not is_behind)::float8 as due,
  count(*) filter (where is_due and is_behind)::float8 as behind_key,
  min(retry_after) filter (where is_due and not is_behind) as due_since,
  count(*) filter (where not is_due and not is_behind)::float8 as soon,
  min(retry_after) filter (where not is_due and not is_behind) as earliest,
  count(*) < :max::int as is_exact
from records(:pairs) as pair (lane bigint, priority smallint, event_type text, is_ordered boolean)
cross join lateral (select pair.event_type in (select event_type from leased) as is_leased) as type
cross join lateral (
  select event.retry_after, event.retry_after <= now() as is_due, is_ordered and (
    select
      exists (select from dlq_events as other
        where other.is_blocking and other.order_key = own.order_key and other.id <> own.id)
      and exists (select from dlq_events as head
        where head.id = dlq_blocked_by(
          own.order_key, coalesce(own.consumer_group, own.source_subscription), own.id)
          and (head.status <> 'PENDING' or head.retry_after > now()))
    from dlq_events as own where own.id = event.id
  ) as is_behind
  from dlq_events as event
  where is_open and event.lane = pair.lane and event.priority = pair.priority
    and event.retry_after <= now() + make_interval(secs => :soonSeconds)
    and not (is_leased and exists (
      select from dlq_events as own where own.id = event.id and own.status = 'PROCESSING'))
  order by event.retry_after limit :max::int
) as event
group by lane;
