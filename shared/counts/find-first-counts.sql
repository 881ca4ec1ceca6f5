-- The first minute that has counts, or, if minutes are not kept from then on, its hour.
select case when minute < hour + interval '1 hour' then minute else hour end as first
from (select min(hour) as hour from dlq_counts_hourly_totals) as hours
cross join (select min(minute) as minute from dlq_counts_minutely) as minutes;
