-- One error group, with its events now by type, its failures, the consumers of its latest 500 events by
-- number, and its latest event: the recorded one may have moved to another group, and serves while the group
-- has no other in dlq_events. Of a merged group it returns the one that it is merged into. `members` are the
-- fingerprints of all its events, its own first.
with whole as materialized (
  select * from dlq_groups_merged
  where fingerprint = (select fingerprint from dlq_group_members where member = :fingerprint)
),
counts as materialized (
  select
    event_type, sum(pending + processing)::float8 as open,
    sum(failed_permanently)::float8 as failed_permanently, sum(captures + recurrences)::float8 as failures
  from dlq_counts_current_exact
  where fingerprint = any ((select members from whole)::text[])
  group by event_type
),
latest_events as (
  select coalesce(source_subscription, consumer_group) as name
  from whole
  cross join unnest(members) as member
  cross join lateral (
    select id, source_subscription, consumer_group
    from dlq_events as event
    where event.fingerprint = member
    order by fingerprint desc, id desc
    limit 500
  ) as event
  order by id desc
  limit 500
)
select
  fingerprint, members, state, coalesce(latest.title, whole.title) as title, causes, frame,
  coalesce(latest.id, whole.sample_event_id) as sample_event_id,
  whole.first_seen_at, whole.last_seen_at, (select coalesce(sum(failures), 0) from counts) as failures,
  owner, note, muted_until,
  (
    select coalesce(json_agg(type order by open + "failedPermanently" desc, "eventType"), '[]')
    from (
      select event_type as "eventType", open, failed_permanently as "failedPermanently"
      from counts
      where open + failed_permanently + failures > 0
    ) as type
  ) as event_types,
  (
    select coalesce(json_agg(consumer order by consumer.events desc, consumer.name), '[]')
    from (
      select name, count(*)::int as events
      from latest_events
      where name is not null
      group by name
      order by events desc, name
      limit 10
    ) as consumer
  ) as consumers
from whole
left join {latestEvent} on true;
