-- Error groups by state.
select state, count(*)::int as groups from dlq_error_groups where merged_into is null group by state;
