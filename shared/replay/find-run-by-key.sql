select id, request_hash from dlq_runs where idempotency_key = :idempotencyKey::text;
