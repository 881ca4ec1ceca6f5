-- One error group, with its events now by type, the consumers of its latest 500 events by number, and its latest event: the
-- recorded one may have moved to another group, and serves while the group has no other in dlq_events. Of a merged group it
-- returns the one that it is merged into. `members` are the fingerprints of all its events, its own first.
with whole as materialized (
  select
    fingerprint, array_agg(member order by member <> fingerprint, member) as members, min(first_seen_at) as first_seen_at,
    max(last_seen_at) as last_seen_at, sum(failures)::float8 as failures, max(sample_event_id) as sample_event_id
  from (
    select root.fingerprint, member, first_seen_at, last_seen_at, failures, sample_event_id
    from dlq_group_members as root
    join dlq_error_groups as error_group on error_group.fingerprint = member
    where root.fingerprint = (select fingerprint from dlq_group_members where member = :fingerprint)
  ) as groups
  group by fingerprint
)
select
  fingerprint, members, state, coalesce(latest.title, error_group.title) as title, causes, frame,
  coalesce(latest.id, whole.sample_event_id) as sample_event_id,
  whole.first_seen_at, whole.last_seen_at, whole.failures, owner, note,
  muted_until,
  (
    select coalesce(json_agg(depth order by depth.open + depth."failedPermanently" desc, depth."eventType"), '[]')
    from (
      select
        event_type as "eventType", (pending + processing)::float8 as open,
        failed_permanently::float8 as "failedPermanently"
      from (
        select event_type, sum(pending) as pending, sum(processing) as processing, sum(failed_permanently) as failed_permanently
        from dlq_depths
        where dlq_depths.fingerprint = any (members)
        group by event_type
      ) as types
    ) as depth
  ) as event_types,
  (
    select coalesce(json_agg(consumer order by consumer.events desc, consumer.name), '[]')
    from (
      select name, count(*)::int as events
      from (
        select coalesce(source_subscription, consumer_group) as name
        from unnest(members) as member
        cross join lateral (
          select id, source_subscription, consumer_group
          from dlq_events as event
          where event.fingerprint = member
          order by fingerprint desc, id desc
          limit 500
        ) as event
        order by id desc
        limit 500
      ) as latest
      where name is not null
      group by name
      order by events desc, name
      limit 10
    ) as consumer
  ) as consumers
from whole
join dlq_error_groups as error_group using (fingerprint)
left join lateral dlq_latest_event(members) as latest on true;
