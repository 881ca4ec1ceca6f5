-- Deletes up to :limit error groups that were last seen more than :days days ago, have no events, and that no
-- operator ever changed or split. The counts of their types stay.
-- Deletes none during an aggregation, which may just have found a failure of one.
with turn as materialized (
  select coalesce(
    (select true from dlq_counts where (hour, fingerprint, event_type) is null for update skip locked),
    not exists (select from dlq_counts where (hour, fingerprint, event_type) is null)) as is_free
),
purged as (
  delete from dlq_error_groups
  where (select is_free from turn) and fingerprint = any (array(
    select fingerprint
    from dlq_error_groups
    where last_seen_at < now() - make_interval(days => :days::int) and state = 'OPEN' and owner is null
      and note is null and merged_into is null and split_field is null
      and not exists (
        select
        from dlq_error_groups as other
        where dlq_error_groups.fingerprint in (other.merged_into, other.split_from)
      )
      and not exists (
        select
        from dlq_counts_exact as counts
        where hour is null and counts.fingerprint = dlq_error_groups.fingerprint
          and (pending, processing, succeeded, failed_permanently, discarded) <> (0, 0, 0, 0, 0)
      )
    order by last_seen_at
    limit :limit::int
  ))
  returning fingerprint
),
counted as (
  delete from dlq_counts
  where hour is null and fingerprint = any (array(select fingerprint from purged))
)
select count(*)::int as done from purged;
