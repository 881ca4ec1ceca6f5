-- The fingerprints of the groups that were merged into one of :fingerprints.
select fingerprint from dlq_error_groups where merged_into = any (:fingerprints::text[]);
