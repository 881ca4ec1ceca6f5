-- The :max largest error groups of the events that a filter matches and a run would select from lanes other
-- than :excludedLanes, each with its first event as an example, and the number of all.
with own as (
  select fingerprint, count(*) as events, min(id) as first_id
  from dlq_events as event
  where {filter}
    and {exclusion} is null
    and lane <> all (:excludedLanes::bigint[])
  group by fingerprint
),
largest as (
  select
    coalesce(merged_into, own.fingerprint) as fingerprint, sum(events)::int as events,
    min(first_id) as first_id, count(*) over ()::int as groups
  from own
  left join dlq_error_groups as error_group
    on error_group.fingerprint = own.fingerprint and merged_into is not null
  group by coalesce(merged_into, own.fingerprint)
  order by events desc, fingerprint
  limit :max::int
)
select largest.fingerprint as value, events, error_class, left(error_reason, 200) as error_reason, groups
from largest
join dlq_events as event on event.id = first_id
order by events desc, largest.fingerprint;
