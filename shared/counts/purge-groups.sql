-- Deletes up to :limit error groups that were last seen more than :days days ago, have no events, and that no operator ever
-- changed.
with purged as (
  delete from dlq_error_groups
  where fingerprint = any (array(
    select fingerprint
    from dlq_error_groups
    where last_seen_at < now() - make_interval(days => :days::int) and state = 'OPEN' and owner is null and note is null
      and merged_into is null
      and not exists (select from dlq_error_groups as merged where merged.merged_into = dlq_error_groups.fingerprint)
      and not exists (
        select from dlq_counts_current where dlq_counts_current.fingerprint = dlq_error_groups.fingerprint
      )
    order by last_seen_at
    limit :limit::int
  ))
  returning 1
)
select count(*)::int as purged from purged;
