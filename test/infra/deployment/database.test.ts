import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  all,
  allOwn,
  at,
  configurations,
  deployed,
  find,
  runDeployment,
} from '../../support/deployment-program.ts';
import { type Ran, type Registered, unknown } from '../../support/pulumi-program.ts';

const deployment = await deployed('plain');
const { inputs, protect } = find(
  deployment,
  'sql/databaseInstance:DatabaseInstance',
  'dlo-database-instance',
);
const settings = inputs.settings;

const { privateNetwork: network, privateSubnetwork: subnetwork } = configurations.network;
const own = await deployed('network');
const guest = await deployed('guest');
const { databaseUrls } = configurations.elsewhere;
const functions = Object.keys(databaseUrls);
const elsewhere = await deployed('elsewhere');

function onlyMigrations(ran: Ran): Registered {
  const [found, ...others] = allOwn(ran, 'Migrations');
  assert.ok(found && others.length === 0);
  return found;
}

describe('the database', () => {
  it('accepts encrypted connections through the connector only, from any network', () => {
    assert.equal(at(settings, 'connectorEnforcement'), 'REQUIRED');
    assert.deepEqual(at(settings, 'ipConfiguration'), { ipv4Enabled: true, sslMode: 'ENCRYPTED_ONLY' });
  });

  it('has no login with a password', () => {
    assert.deepEqual(at(settings, 'databaseFlags', 0), { name: 'cloudsql.iam_authentication', value: 'on' });
    assert.doesNotMatch(JSON.stringify([inputs, allOwn(deployment, 'Migrations')]), /password/i);
  });

  it('sets its edition, since the default rejects small tiers', () => {
    assert.equal(at(settings, 'edition'), 'ENTERPRISE');
  });

  it('sets max_connections to the limit of the budget', () => {
    assert.deepEqual(at(settings, 'databaseFlags', 1), { name: 'max_connections', value: '100' });
  });

  it('logs no parameters, which may be payloads, beside the flags of its operators', async () => {
    const flagsOf = async (databaseFlags: Record<string, string | number | boolean>) => {
      const ran = await runDeployment({ ...configurations.plain, databaseFlags });
      const [instance] = all(ran, 'sql/databaseInstance:DatabaseInstance');
      return (at(instance?.inputs, 'settings', 'databaseFlags') as { name: string; value: string }[])
        .slice(3)
        .map(({ name, value }) => `${name}=${value}`);
    };
    assert.deepEqual(await flagsOf({ 'cloudsql.enable_pgaudit': 'on' }), [
      'log_parameter_max_length=0',
      'cloudsql.enable_pgaudit=on',
    ]);
    assert.deepEqual(await flagsOf({ log_parameter_max_length: '-1' }), ['log_parameter_max_length=-1']);
    // As pulumi config set --path writes them.
    const parsed = await flagsOf({ work_mem: 9000, jit: false });
    assert.deepEqual(parsed.slice(-2), ['work_mem=9000', 'jit=false']);
  });

  it('can be restored to any second of the last 7 days', () => {
    assert.deepEqual(at(settings, 'backupConfiguration'), {
      enabled: true,
      startTime: '03:00',
      pointInTimeRecoveryEnabled: true,
      transactionLogRetentionDays: 7,
      backupRetentionSettings: { retainedBackups: 14, retentionUnit: 'COUNT' },
    });
    assert.equal(at(settings, 'retainBackupsOnDelete'), true);
  });

  it('has three deletion guards behind one setting', () => {
    const unguarded = find(own, 'sql/databaseInstance:DatabaseInstance', 'dlo-database-instance');
    const guards = (each: typeof unguarded) => [
      each.protect,
      each.inputs.deletionProtection,
      at(each.inputs.settings, 'deletionProtectionEnabled'),
    ];
    assert.deepEqual(guards({ ...unguarded, inputs, protect }), [true, true, true]);
    assert.deepEqual(guards(unguarded), [false, false, false]);
  });

  it('gets a generated name, since the name of a deleted instance is reserved for a week', () => {
    assert.equal('name' in inputs, false);
  });

  it('grows its disk automatically, without a size that an update would restore', () => {
    assert.equal(at(settings, 'diskAutoresize'), true);
    assert.equal('diskSize' in Object(settings), false);
  });

  it('has a standby in another zone with availability REGIONAL', async () => {
    const instance = find(
      await deployed('prod'),
      'sql/databaseInstance:DatabaseInstance',
      'dlo-database-instance',
    );
    assert.equal(at(instance.inputs.settings, 'availabilityType'), 'REGIONAL');
  });
});

describe('a database in a private network', () => {
  it('has no public address', () => {
    const instance = find(own, 'sql/databaseInstance:DatabaseInstance', 'dlo-database-instance');
    assert.deepEqual(at(instance.inputs.settings, 'ipConfiguration'), {
      ipv4Enabled: false,
      privateNetwork: network,
      sslMode: 'ENCRYPTED_ONLY',
    });
  });

  it('is reached by functions through that network', () => {
    for (const { inputs: made } of all(own, 'cloudfunctionsv2/function:Function')) {
      assert.equal(at(made.serviceConfig, 'environmentVariables', 'DB_IP_TYPE'), 'PRIVATE');
      assert.deepEqual(at(made.serviceConfig, 'directVpcNetworkInterfaces'), [{ network, subnetwork }]);
      assert.equal(at(made.serviceConfig, 'directVpcEgress'), 'VPC_EGRESS_PRIVATE_RANGES_ONLY');
    }
  });
});

describe('an existing database instance', () => {
  it('stays unchanged and gets an additional database', () => {
    assert.equal(all(guest, 'sql/databaseInstance:DatabaseInstance').length, 0);
    const { inputs: database } = onlyMigrations(guest);
    assert.deepEqual([database.instance, database.database], ['acme-shared:europe-west1:main', 'dlo']);
  });

  it('gets its logins in its own project', () => {
    const logins = all(guest, 'projects/iAMMember:IAMMember').filter(({ inputs: each }) =>
      String(each.role).startsWith('roles/cloudsql.'),
    );
    assert.equal(logins.length, 10);
    assert.deepEqual([...new Set(logins.map(({ inputs: each }) => each.project))], ['acme-shared']);
  });
});

describe('a PostgreSQL outside of Cloud SQL', () => {
  it('needs no resource on Cloud SQL', () => {
    assert.deepEqual(
      elsewhere.resources.filter(({ type }) => /gcp:sql\/|:Migrations/.test(type)),
      [],
    );
  });

  it('is located by one secret per function, readable for that function only', () => {
    for (const name of functions) {
      const version = find(
        elsewhere,
        'secretmanager/secretVersion:SecretVersion',
        `dlo-${name}-database-version`,
      );
      assert.deepEqual(version.inputs.secretData, { secret: databaseUrls[name] });
    }
    const readers = all(elsewhere, 'secretmanager/secretIamMember:SecretIamMember').filter(
      ({ inputs: each }) => String(each.secretId).endsWith('-database'),
    );
    assert.deepEqual(
      readers.map(({ inputs: each }) => each.member).sort(),
      functions.map((name) => `serviceAccount:dlo-${name}@acme-test.iam.gserviceaccount.com`).sort(),
    );
  });
});

describe('a preview of a database', () => {
  it('marks values that are unknown before the update', async () => {
    const preview = await deployed('prod', { isPreview: true });
    const { inputs: migrations } = onlyMigrations(preview);
    assert.deepEqual([migrations.instance, migrations.user], [unknown, unknown]);
    const { inputs: made } = find(preview, 'cloudfunctionsv2/function:Function', 'dlo-retry-function');
    assert.equal(at(made.serviceConfig, 'environmentVariables', 'INSTANCE_CONNECTION_NAME'), unknown);
  });
});
