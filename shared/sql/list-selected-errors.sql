-- What a run would select, by event type, by status and by error group: the :most largest groups of each, and how many
-- groups and events there are in all.
select
  dimension, value, events::int, error_class, error_reason, groups::int
from (
  select
    case grouping(event_type, status, fingerprint) when 3 then 'eventType' when 5 then 'status' else 'errorGroup' end as dimension,
    coalesce(event_type, status, fingerprint) as value,
    count(*) as events,
    min(error_class) as error_class,
    min(left(error_reason, 200)) as error_reason,
    count(*) over (partition by grouping(event_type, status, fingerprint)) as groups,
    row_number() over (
      partition by grouping(event_type, status, fingerprint) order by count(*) desc, event_type, status, fingerprint) as place
  from dlq_events as event
  where (:filter)
    and event.lane = any (:lanes::bigint[])
    and dlq_obstacle(event.status, event.lease_expires_at, :includeSucceeded, :includeDiscarded) is null
  group by grouping sets ((event_type), (status), (fingerprint))
) as ranked
where place <= :most::int
order by dimension, place;
