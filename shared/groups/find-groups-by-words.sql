-- Up to :max error groups whose title, causes or frame contain each of :words, the latest first: a stack
-- trace is searched by what its group keeps of it.
select coalesce(merged_into, fingerprint) as fingerprint,
  concat_ws(' ', title, array_to_string(causes, ' '), frame) as says
from dlq_error_groups
where lower(concat_ws(' ', title, array_to_string(causes, ' '), frame)) like all (
  -- Computed once, not per group.
  array(
    select '%' || regexp_replace(lower(word), '([\\%_])', '\\\1', 'g') || '%'
    from unnest(:words::text[]) as word
  )
)
order by last_seen_at desc
limit :max::int;
