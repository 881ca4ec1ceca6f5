-- The :max largest error groups of the events in :statuses, of types like one of :types and in one of the
-- groups :fingerprints (null: any), each with the error of its latest event, the number of all groups and
-- that of all events. Omits events that are being delivered, events without a group, and those, which
-- {filter} matches, that were captured at :since or later.
with later as materialized (select * from dlq_events where created_at >= :since::timestamptz),
merged as materialized (
  select fingerprint, merged_into from dlq_error_groups where merged_into is not null
),
counted as materialized (
  select coalesce(merged_into, fingerprint) as fingerprint, sum(events)::int as events
  from (
    select fingerprint, events::float8 as events
    from dlq_counts_current_exact
    cross join lateral {byStatus}
    where status = any (:statuses::text[]) and (status = 'PROCESSING' and lease_expires_at > now()) is not true
      and fingerprint <> '' and (:types::text[] is null or event_type like any (:types))
      and (:fingerprints::text[] is null or fingerprint = any (:fingerprints))
    union all
    select fingerprint, -1
    from later as event
    where ({filter}) and fingerprint is not null and not (status = 'PROCESSING' and lease_expires_at > now())
  ) as own
  left join merged using (fingerprint)
  group by 1
  having sum(events) > 0
),
largest as (
  select fingerprint, events from counted order by events desc, fingerprint limit :max::int
)
select
  fingerprint as value, events, error_class, left(error_reason, 200) as error_reason,
  (select count(*)::int from counted) as groups,
  (select sum(events)::float8 from counted) as all_events
from largest
cross join lateral (
  select array(select merged.fingerprint from merged where merged_into = largest.fingerprint)
    || largest.fingerprint as members
) as whole
join {latestEvent} on true
order by events desc, fingerprint;
