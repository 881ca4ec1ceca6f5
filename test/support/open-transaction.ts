import pg from 'pg';

/** Does something while another session has a transaction open in which it ran `sql`; nothing of that remains. */
export async function whileTransactionIsOpen(
  url: string,
  sql: string,
  action: () => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(sql);
    await action();
  } finally {
    await client.end();
  }
}
