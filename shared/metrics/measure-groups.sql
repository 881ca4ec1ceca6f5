-- Error groups by state; and those that were first seen within 24 hours and within one, or that regressed
-- within one.
select
  state, count(*)::float8 as error_groups,
  count(*) filter (where state = 'OPEN')::float8 as groups_open,
  count(*) filter (where state = 'REGRESSED')::float8 as groups_regressed,
  count(*) filter (where first_seen_at > now() - interval '24 hours')::float8 as new_error_groups,
  count(*) filter (where first_seen_at > now() - interval '1 hour')::float8 as groups_new_1h,
  count(*) filter (where state = 'REGRESSED' and state_changed_at > now() - interval '1 hour')::float8
    as groups_regressed_1h
from dlq_error_groups
where merged_into is null
group by grouping sets ((state), ());
