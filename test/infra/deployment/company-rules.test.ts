import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSettings } from '../../../infra/check-settings.ts';
import type { SettingsInput } from '../../../infra/settings.ts';
import { ConfigError } from '../../../shared/errors.ts';
import { all, at, configurations, deployed, find, plainSettings } from '../../support/deployment-program.ts';
import { defaultLabels, type Registered } from '../../support/pulumi-program.ts';

const { kmsKey, privateNetwork, privateSubnetwork } = configurations.full;
const isGoogles = ({ type }: Registered) => type.startsWith('gcp:');
const strict = await deployed('full');
const usual = await deployed('prod');

const problemsOf = (own: Partial<SettingsInput>): string[] => {
  try {
    checkSettings({ ...plainSettings, ...own });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ field }) => field);
  }
};
/** The path of each value in `inputs` that equals `value`. */
const pathsTo = (inputs: unknown, value: string, path = ''): string[] => {
  if (inputs === value) return [path.slice(1)];
  if (typeof inputs !== 'object' || inputs === null) return [];
  return Object.entries(inputs).flatMap(([key, each]) => pathsTo(each, value, `${path}.${key}`));
};

describe('a deployment in a company with rules', () => {
  it('encrypts everything that stores data with the key of the company', () => {
    const encrypted = strict.resources
      .filter(isGoogles)
      .flatMap(({ type, inputs }) => pathsTo(inputs, kmsKey).map((path) => `${type} ${path}`));
    assert.deepEqual([...new Set(encrypted)].sort(), [
      'gcp:artifactregistry/repository:Repository kmsKeyName',
      'gcp:cloudfunctionsv2/function:Function kmsKeyName',
      'gcp:pubsub/topic:Topic kmsKeyName',
      'gcp:secretmanager/secret:Secret replication.userManaged.replicas.0.customerManagedEncryption.kmsKeyName',
      'gcp:sql/databaseInstance:DatabaseInstance encryptionKeyName',
      'gcp:storage/bucket:Bucket encryption.defaultKmsKeyName',
    ]);
    for (const type of ['pubsub/topic:Topic', 'storage/bucket:Bucket', 'secretmanager/secret:Secret']) {
      const found = encrypted.filter((each) => each.startsWith(`gcp:${type} `));
      assert.equal(found.length, all(strict, type).length, type);
    }
  });

  it('keeps Google keys without this setting', () => {
    assert.doesNotMatch(JSON.stringify(usual.resources.filter(isGoogles)), /kms|encryption/);
  });

  it('labels the database instance, too, with the default labels of the provider', () => {
    const { inputs } = find(strict, 'sql/databaseInstance:DatabaseInstance', 'dlo-database-instance');
    assert.deepEqual(at(inputs, 'settings', 'userLabels'), defaultLabels);
  });

  it('is reached from the networks that the setting ingress names', () => {
    const ingress = (ran: typeof strict) =>
      Object.fromEntries(
        all(ran, 'cloudfunctionsv2/function:Function').map(({ inputs }) => [
          inputs.name,
          at(inputs, 'serviceConfig', 'ingressSettings'),
        ]),
      );
    const having = (setting: string) => ({
      'dlo-capture': setting,
      'dlo-console': setting,
      'dlo-maintain': 'ALLOW_INTERNAL_ONLY',
      'dlo-replay': setting,
      'dlo-retry': 'ALLOW_INTERNAL_ONLY',
    });
    const setting = 'ALLOW_INTERNAL_AND_GCLB';
    assert.deepEqual(ingress(strict), { ...having(setting), 'dlo-signed-capture': setting });
    assert.deepEqual(ingress(usual), having('ALLOW_ALL'));
  });

  it('reaches its database by Private Service Connect, from the Shared VPC of another project', () => {
    const { inputs } = find(strict, 'sql/databaseInstance:DatabaseInstance', 'dlo-database-instance');
    assert.deepEqual(at(inputs, 'settings', 'ipConfiguration'), {
      ipv4Enabled: false,
      sslMode: 'ENCRYPTED_ONLY',
      pscConfigs: [
        {
          pscEnabled: true,
          allowedConsumerProjects: ['acme-host', 'acme-prod'],
          pscAutoConnections: [{ consumerNetwork: privateNetwork, consumerServiceProjectId: 'acme-prod' }],
          pscAutoDnsEnabled: true,
        },
      ],
    });
    for (const { inputs: made } of all(strict, 'cloudfunctionsv2/function:Function')) {
      assert.equal(at(made, 'serviceConfig', 'environmentVariables', 'DB_IP_TYPE'), 'PSC');
      assert.deepEqual(at(made, 'serviceConfig', 'directVpcNetworkInterfaces'), [
        { network: privateNetwork, subnetwork: privateSubnetwork },
      ]);
    }
  });

  const other = 'projects/acme-test/global/networks/own';
  for (const [fault, settings, field] of [
    ['a key in another location', { kmsKey, region: 'us-central1' }, 'kmsKey'],
    ['a subnetwork in another region', { privateNetwork, privateSubnetwork }, 'privateSubnetwork'],
    [
      'a subnetwork of another network',
      { privateNetwork: other, privateSubnetwork, region: 'europe-west1' },
      'privateSubnetwork',
    ],
    ['Private Service Connect without a network', { privateServiceConnect: true }, 'privateServiceConnect'],
  ] as const) {
    it(`is rejected before the first resource with ${fault}`, () => {
      assert.deepEqual(problemsOf(settings), [field]);
    });
  }
});
