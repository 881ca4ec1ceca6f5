-- Error groups by state, and how many of them began within the last 24 hours.
select
  state, count(*)::float8 as groups,
  count(*) filter (where first_seen_at > now() - interval '24 hours')::float8 as new
from dlq_error_groups
group by state;
