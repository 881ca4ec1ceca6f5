-- The first hour that has counts.
select min(hour) as hour from dlq_counts_hourly_totals;
