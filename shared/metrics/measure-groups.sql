-- Error groups by state, and those of them that were first seen within 24 hours and within one, or that
-- regressed within one.
select
  state, count(*)::float8 as groups,
  count(*) filter (where first_seen_at > now() - interval '24 hours')::float8 as new,
  count(*) filter (where first_seen_at > now() - interval '1 hour')::float8 as new_1h,
  count(*) filter (where state = 'REGRESSED' and state_changed_at > now() - interval '1 hour')::float8 as regressed_1h
from dlq_error_groups
where merged_into is null
group by state;
