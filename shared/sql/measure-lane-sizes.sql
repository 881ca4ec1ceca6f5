-- How many open events there are in some lanes; of very many it is enough to know that.
select count(*)::float8 as events
from (
  select from dlq_events where is_open and lane = any (:lanes::bigint[]) limit :most::int
) as waiting;
