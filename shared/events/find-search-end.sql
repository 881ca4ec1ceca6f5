-- The last of the next :max events in {table} that a filter matches, after a position. No row if there are
-- fewer.
select event.id, {time} as time, event.created_at
from (
  select event.id from {table} as event
  where ({filter}) and {isBefore} and {isReached}
  order by {latestFirst}
  offset :max::int - 1 limit 1
) as last
join {table} as event on event.id = last.id;
