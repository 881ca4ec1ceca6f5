-- One page of the events in {table} that a filter matches, in the part of the list that a position names;
-- page-position.ts makes {time}, {isBefore}, {isReached} and {sortedBy}, and event-columns.ts the columns.
select {columns}, {time} as time
from {table} as event
where ({filter}) and {isBefore} and {isReached}
order by {sortedBy} desc, event.id desc
limit :max;
