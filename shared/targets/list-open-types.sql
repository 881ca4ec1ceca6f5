-- Open events by type, exact, from the sums.
select event_type, sum(pending + processing)::float8 as open from dlq_depths group by event_type;
