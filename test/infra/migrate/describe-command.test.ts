import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { describeCommand } from '../../../infra/migrate/describe-command.ts';
import { readDatabaseLocation } from '../../../shared/config/database-location.ts';

const location = {
  instance: 'acme:eu:dlo',
  database: "o'hara",
  user: 'ana@acme.com',
  ipType: 'PRIVATE',
} as const;
const logins = { dlq_capture: ['capture@acme.iam'], dlq_retry: ['retry@acme.iam', 'old@acme.iam'] };
const listed = 'dlq_capture=capture@acme.iam,dlq_retry=retry@acme.iam,dlq_retry=old@acme.iam';

describe('the command for migrating by hand', () => {
  it('sets the variables that npm run migrate reads', () => {
    const print = `"${process.execPath}" -p 'JSON.stringify(process.env)'`;
    const command = describeCommand(location, logins).replace('npm run migrate', print);
    const env = JSON.parse(execFileSync('sh', ['-c', command], { env: {}, encoding: 'utf8' }));
    assert.deepEqual(readDatabaseLocation(env), { ok: true, value: { kind: 'cloud-sql', ...location } });
    assert.equal(env.DB_LOGINS, listed);
  });

  it('is one readable line', () => {
    assert.equal(
      describeCommand({ ...location, database: 'events' }, logins),
      'INSTANCE_CONNECTION_NAME=acme:eu:dlo DB_NAME=events DB_USER=ana@acme.com DB_IP_TYPE=PRIVATE ' +
        `DB_LOGINS=${listed} npm run migrate`,
    );
  });
});
