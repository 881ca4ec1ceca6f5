/** Columns of dlq_events that the product alone fills. */
export const ownColumns = [
  'lease_token lease_expires_at is_open is_blocking event_key delivery_id publication conflicts_with redelivery_token',
  'body is_exact payload_encoding source_key_bytes fingerprint answer delivery_count failed_delivery restored_at reopened_at edit_run_id sequence lane',
].flatMap((names) => names.split(' '));
