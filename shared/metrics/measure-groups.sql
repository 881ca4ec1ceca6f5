-- Error groups by state, and those of them that were first seen within 24 hours.
select
  state, count(*)::float8 as groups,
  count(*) filter (where first_seen_at > now() - interval '24 hours')::float8 as new
from dlq_error_groups
group by state;
