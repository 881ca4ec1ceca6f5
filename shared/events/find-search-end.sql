-- The end of a part of {table}: the last of the next :max events that a filter matches, after a position; in
-- a list by time behind all others of its time, which each part would sort again. No row if there are fewer.
select case when {time} is null then event.id else 0 end as id, {time} as time, event.created_at
from (
  select event.id from {table} as event
  where ({filter}) and {isBefore} and {isReached}
  order by {sortedBy} desc
  offset :max::int - 1 limit 1
) as last
join {table} as event on event.id = last.id;
