/**
 * SQL that joins the event of the error groups `members` that was captured last, as `latest`: one index
 * lookup for each fingerprint. A range of one value: with an equality, where few fingerprints are known, the
 * planner may read the latest events of all until one fits, which none does for a group without events.
 */
export const latestEvent = `lateral (
  select event.*
  from unnest(members) as member
  cross join lateral (
    select
      id,
      case when member ~ '^v[0-9]+[:]many[:]' then 'Many different reasons, such as ' else '' end
        || dlq_error_title(error_class, error_reason) as title,
      json_build_object('eventType', event_type, 'sourceKind', source_kind, 'sourceTopic', source_topic,
        'sourceSubscription', source_subscription, 'consumerGroup', consumer_group) as origin
    from dlq_events
    where fingerprint between member and member
    order by fingerprint desc, id desc
    limit 1
  ) as event
  order by event.id desc
  limit 1
) as latest`;
