-- The first :max events from :from to :upTo that a filter matches and a run would select from lanes other
-- than :excludedLanes, in order of capture.
select id::text
from dlq_events as event
where {filter}
  and id between :from::bigint and :upTo::bigint
  and {exclusion} is null
  and lane <> all (:excludedLanes::bigint[])
order by event.id
limit :max::int;
