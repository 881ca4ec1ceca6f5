-- The fields of the latest event of each error group that select its route and name its consumer, each with the groups that have them.
-- One index lookup per group, of at most some thousands; groups without events in dlq_events are omitted.
select event_type, source_kind, source_topic, source_subscription, consumer_group, array_agg(root) as fingerprints
from (
  select distinct on (root) root, event_type, source_kind, source_topic, source_subscription, consumer_group
  from (
    select coalesce(merged_into, fingerprint) as root, fingerprint as member from dlq_error_groups
  ) as members
  cross join lateral (
    select id, event_type, source_kind, source_topic, source_subscription, consumer_group
    from dlq_events as event
    where event.fingerprint = member
    order by fingerprint desc, id desc
    limit 1
  ) as latest
  order by root, id desc
) as origins
group by event_type, source_kind, source_topic, source_subscription, consumer_group;
