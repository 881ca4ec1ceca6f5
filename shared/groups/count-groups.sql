-- Error groups by state.
select state, count(*)::int as groups from dlq_error_groups group by state;
