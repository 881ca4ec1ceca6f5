/** Settings of each session, in place of those of ALTER DATABASE, ALTER ROLE and postgresql.conf. */
export const sessionSettings = {
  search_path: 'public',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read\\ committed',
};

/** Settings of the sessions of functions, beside those of each session. */
export const functionSettings = {
  // The triggers read it.
  'dlo.writes_complete_rows': 'on',
  // A statement and its locks end soon after its client. Keepalive is for clients gone without a word.
  client_connection_check_interval: '5s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  // A page takes one core, not all of them, from captures and deliveries.
  max_parallel_workers_per_gather: '0',
  // To compile a statement takes longer than to run it: most are expected to read more than they do.
  jit: 'off',
  // A bounded count begins with the same pages, which are cached, and not where the last scan ended.
  synchronize_seqscans: 'off',
};

/** Formats settings as the startup parameter `options`. A space in a value is escaped by a backslash. */
export function toOptions(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
