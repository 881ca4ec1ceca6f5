-- Open events by type, exact.
select event_type, sum(pending + processing)::float8 as open from dlq_counts_current_exact group by event_type;
