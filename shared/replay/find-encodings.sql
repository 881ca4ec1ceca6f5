-- The encodings of the payloads of these events.
select payload_encoding from dlq_events where id = any (:ids::bigint[]);
