select event_type, sum(pending + processing)::float8 as open
from dlq_counts_totals
where hour is null and event_type = any (:types::text[])
group by event_type;
