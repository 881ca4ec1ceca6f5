-- The first :max event types that were ever counted.
select event_type
from dlq_counts
where hour is null and fingerprint is null and event_type is not null
order by counted_since, event_type
limit :max::int;
