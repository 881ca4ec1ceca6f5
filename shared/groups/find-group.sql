-- One error group, with its events now by type, the consumers of its latest 500 events by number, and its failures in
-- each of the 24 hours up to :until.
select
  fingerprint, state, title, sample_event_id, first_seen_at, last_seen_at, failures::float8 as failures, owner, note,
  state_changed_at, muted_until, muted_until_failure::float8 as muted_until_failure, muted_until_hourly,
  (
    select coalesce(json_agg(depth order by depth.open + depth."failedPermanently" desc, depth."eventType"), '[]')
    from (
      select
        event_type as "eventType", (pending + processing)::float8 as open,
        failed_permanently::float8 as "failedPermanently",
        succeeded::float8 as succeeded, discarded::float8 as discarded
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
  ) as consumers,
  (
    select array_agg(coalesce(failures, 0) order by position)
    from generate_series(0, 23) as positions (position)
    left join (
      select
        23 - (extract(epoch from date_trunc('hour', :until::timestamptz, 'UTC') - hour) / 3600)::int as position,
        sum(captures + recurrences)::float8 as failures
      from dlq_counts_by_hour
      where dlq_counts_by_hour.fingerprint = error_group.fingerprint and hour <= :until
        and hour > date_trunc('hour', :until::timestamptz, 'UTC') - interval '24 hours'
      group by position
    ) as hours using (position)
  ) as trend
from dlq_error_groups as error_group
where fingerprint = :fingerprint;
