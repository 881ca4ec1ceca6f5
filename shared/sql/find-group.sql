-- One error group with all that is known of it: how many events of each type stand where, which consumers failed most
-- among its latest events, and its failures in each of the 24 hours up to :until.
select
  fingerprint, state, title, sample_event_id, first_seen_at, last_seen_at, failures::float8 as failures, owner, note,
  state_changed_at, muted_until, muted_until_failure::float8 as muted_until_failure, muted_until_hourly,
  (
    select coalesce(json_agg(depth order by depth.open + depth.failed_permanently desc, depth.event_type), '[]')
    from (
      select
        event_type, (pending + processing)::float8 as open, failed_permanently::float8 as failed_permanently,
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
    select array_agg(coalesce(failures, 0) order by place)
    from generate_series(0, 23) as places (place)
    left join (
      select
        23 - (extract(epoch from date_trunc('hour', :until::timestamptz, 'UTC') - hour) / 3600)::int as place,
        sum(captures + returns)::float8 as failures
      from dlq_hours
      where dlq_hours.fingerprint = error_group.fingerprint and hour <= :until
        and hour > date_trunc('hour', :until::timestamptz, 'UTC') - interval '24 hours'
      group by place
    ) as hours using (place)
  ) as trend
from dlq_error_groups as error_group
where fingerprint = :fingerprint;
