-- One page of the events in {table} that a filter matches, in the part of the list that a position names;
-- page-position.ts makes {time}, {isBefore}, {isReached} and {latestFirst}, and event-columns.ts the columns.
-- Only ids are sorted: 200,000 events that one statement inserted have the same time.
select {columns}, {time} as time
from {table} as event
where event.id = any (array(
  select event.id
  from {table} as event
  where ({filter}) and {isBefore} and {isReached}
  order by {latestFirst}
  offset :skip limit :max
))
order by {latestFirst};
