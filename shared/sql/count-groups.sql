-- How many error groups there are in each state.
select state, count(*)::int as groups from dlq_error_groups group by state;
