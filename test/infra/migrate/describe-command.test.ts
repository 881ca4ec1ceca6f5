import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { describeCommand } from '../../../infra/migrate/describe-command.ts';
import { readDatabasePlace } from '../../../shared/database-place.ts';

const place = {
  instance: 'acme:eu:dlo',
  database: "o'hara",
  user: 'ana@acme.com',
  ipType: 'PRIVATE',
} as const;
const logins = { dlq_capture: ['capture@acme.iam'] };

describe('the command for migrating by hand', () => {
  it('sets, in a shell, what npm run migrate reads', () => {
    const print = `"${process.execPath}" -p 'JSON.stringify(process.env)'`;
    const command = describeCommand(place, logins).replace('npm run migrate', print);
    const env = JSON.parse(execFileSync('sh', ['-c', command], { env: {}, encoding: 'utf8' }));
    assert.deepEqual(readDatabasePlace(env), { ok: true, value: { kind: 'cloud-sql', ...place } });
    assert.deepEqual(JSON.parse(env.DB_LOGINS), logins);
  });

  it('is one line that can be read', () => {
    assert.equal(
      describeCommand({ ...place, database: 'events' }, logins),
      'INSTANCE_CONNECTION_NAME=acme:eu:dlo DB_NAME=events DB_USER=ana@acme.com DB_IP_TYPE=PRIVATE ' +
        `DB_LOGINS='{"dlq_capture":["capture@acme.iam"]}' npm run migrate`,
    );
  });
});
