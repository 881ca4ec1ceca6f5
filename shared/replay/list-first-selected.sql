-- The first :max events from :from to :upTo that a filter matches and a run would select from lanes other
-- than :excludedLanes, in order of capture. All that match are found first: by their order, the planner would
-- read all older events.
with matching as materialized (
  select id
  from dlq_events as event
  where {filter}
    and id between :from::bigint and :upTo::bigint
    and {exclusion} is null
    and lane <> all (:excludedLanes::bigint[])
)
select id::text from matching order by matching.id limit :max::int;
