-- Up to :max error groups whose title, causes or frame contain each of :words, the latest first: a stack trace is
-- searched by what its group keeps of it.
select coalesce(merged_into, fingerprint) as fingerprint
from dlq_error_groups
where not exists (
  select from unnest(:words::text[]) as word
  where position(lower(word) in lower(concat_ws(' ', title, array_to_string(causes, ' '), frame))) = 0
)
order by last_seen_at desc
limit :max::int;
