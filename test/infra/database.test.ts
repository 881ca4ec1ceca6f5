import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { all, at, exampleSettings, find, plainSettings, runOffice } from '../support/office-program.ts';
import { unknown } from '../support/pulumi-program.ts';

const office = await runOffice(plainSettings);
const { inputs, protect } = find(office, 'sql/databaseInstance:DatabaseInstance', 'dlo-database-instance');
const settings = inputs.settings;

const network = 'projects/acme-test/global/networks/office';
const subnetwork = 'projects/acme-test/regions/us-central1/subnetworks/functions';
const own = await runOffice({ ...plainSettings, privateNetwork: network, privateSubnetwork: subnetwork });

const existingInstance = 'acme-shared:europe-west1:main';
const guest = await runOffice({ ...plainSettings, existingInstance, maxConnections: 100 });

const functions = ['capture', 'retry', 'replay', 'console', 'maintain'];
const databaseUrls = Object.fromEntries(
  functions.map((name) => [name, `postgres://${name}@10.0.0.2/office`]),
);
const elsewhere = await runOffice({ ...plainSettings, databaseUrls, maxConnections: 500 });

describe('the database', () => {
  it('is reached through the connector only, encrypted, from no network in particular', () => {
    assert.equal(at(settings, 'connectorEnforcement'), 'REQUIRED');
    assert.deepEqual(at(settings, 'ipConfiguration'), { ipv4Enabled: true, sslMode: 'ENCRYPTED_ONLY' });
  });

  it('lets nobody in by password', () => {
    assert.deepEqual(at(settings, 'databaseFlags', 0), { name: 'cloudsql.iam_authentication', value: 'on' });
    const users = all(office, 'sql/user:User');
    assert.deepEqual(
      [inputs, ...users.map((user) => user.inputs)].filter((each) =>
        /password/i.test(Object.keys(each).join()),
      ),
      [],
    );
  });

  it('names its edition, without which small machines are refused', () => {
    assert.equal(at(settings, 'edition'), 'ENTERPRISE');
  });

  it('allows as many connections as the budget was made for', () => {
    assert.deepEqual(at(settings, 'databaseFlags', 1), { name: 'max_connections', value: '100' });
  });

  it('can be brought back to any moment of the last week', () => {
    assert.deepEqual(at(settings, 'backupConfiguration'), {
      enabled: true,
      startTime: '03:00',
      pointInTimeRecoveryEnabled: true,
      transactionLogRetentionDays: 7,
      backupRetentionSettings: { retainedBackups: 14, retentionUnit: 'COUNT' },
    });
    assert.equal(at(settings, 'retainBackupsOnDelete'), true);
  });

  it('is guarded three times by one switch', async () => {
    const open = await runOffice({ ...plainSettings, deletionProtection: false });
    const unguarded = find(open, 'sql/databaseInstance:DatabaseInstance', 'dlo-database-instance');
    const guards = (each: typeof unguarded) => [
      each.protect,
      each.inputs.deletionProtection,
      at(each.inputs.settings, 'deletionProtectionEnabled'),
    ];
    assert.deepEqual(guards({ ...unguarded, inputs, protect }), [true, true, true]);
    assert.deepEqual(guards(unguarded), [false, false, false]);
  });

  it('has a name that nobody used before, as that of a deleted instance is taken for a week', () => {
    assert.equal('name' in inputs, false);
  });

  it('grows its disk by itself, with no size that an update could want back', () => {
    assert.equal(at(settings, 'diskAutoresize'), true);
    assert.equal('diskSize' in Object(settings), false);
  });

  it('has a standby in another zone where it is asked for', async () => {
    const prod = await runOffice(exampleSettings('prod'));
    const instance = find(prod, 'sql/databaseInstance:DatabaseInstance', 'dlo-database-instance');
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

describe('a database that exists already', () => {
  it('is used as it is, with a database of its own', () => {
    assert.equal(all(guest, 'sql/databaseInstance:DatabaseInstance').length, 0);
    const { inputs: database } = find(guest, 'sql/database:Database', 'dlo-database-events');
    assert.deepEqual([database.project, database.instance], ['acme-shared', 'main']);
  });

  it('keeps what is in it when the office goes', () => {
    const { inputs: database } = find(guest, 'sql/database:Database', 'dlo-database-events');
    assert.equal(database.deletionPolicy, 'ABANDON');
  });

  it('gives its logins in the project that it is in', () => {
    const logins = all(guest, 'projects/iAMMember:IAMMember').filter(({ inputs: each }) =>
      String(each.role).startsWith('roles/cloudsql.'),
    );
    assert.equal(logins.length, 12);
    assert.deepEqual([...new Set(logins.map(({ inputs: each }) => each.project))], ['acme-shared']);
  });
});

describe('any other PostgreSQL', () => {
  it('gets nothing made on Cloud SQL', () => {
    assert.deepEqual(
      elsewhere.resources.filter(({ type }) => type.startsWith('gcp:sql/')),
      [],
    );
  });

  it('is known to each function by a secret that only it may read', () => {
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
  it('says what it cannot know, and nothing wrong', async () => {
    const preview = await runOffice(plainSettings, { isPreview: true });
    const { inputs: user } = find(preview, 'sql/user:User', 'dlo-retry-login-user');
    assert.deepEqual([user.project, user.instance, user.name], ['acme-test', unknown, unknown]);
    const { inputs: made } = find(preview, 'cloudfunctionsv2/function:Function', 'dlo-retry-function');
    assert.equal(at(made.serviceConfig, 'environmentVariables', 'INSTANCE_CONNECTION_NAME'), unknown);
  });
});
