-- One error group, with its events now by type, the consumers of its latest 500 events by number, and its latest event: the
-- recorded one may have moved to another group, and serves while the group has no other in dlq_events.
select
  fingerprint, state, coalesce(latest.title, error_group.title) as title, causes, frame,
  coalesce(
    (
      select id
      from dlq_events as event
      where event.fingerprint = error_group.fingerprint
      order by fingerprint desc, id desc
      limit 1
    ),
    sample_event_id
  ) as sample_event_id,
  first_seen_at, last_seen_at, failures::float8 as failures, owner, note,
  muted_until,
  (
    select coalesce(json_agg(depth order by depth.open + depth."failedPermanently" desc, depth."eventType"), '[]')
    from (
      select
        event_type as "eventType", (pending + processing)::float8 as open,
        failed_permanently::float8 as "failedPermanently"
      from dlq_depths
      where dlq_depths.fingerprint = error_group.fingerprint
    ) as depth
  ) as event_types,
  (
    select coalesce(json_agg(consumer order by consumer.events desc, consumer.name), '[]')
    from (
      select name, count(*)::int as events
      from (
        select coalesce(source_subscription, consumer_group) as name
        from dlq_events as event
        where event.fingerprint = error_group.fingerprint
        order by id desc
        limit 500
      ) as latest
      where name is not null
      group by name
      order by events desc, name
      limit 10
    ) as consumer
  ) as consumers
from dlq_error_groups as error_group
left join lateral (
  select dlq_error_title(error_class, error_reason) as title
  from dlq_events as event
  where event.fingerprint = error_group.fingerprint
  order by fingerprint desc, id desc
  limit 1
) as latest on true
where fingerprint = :fingerprint;
