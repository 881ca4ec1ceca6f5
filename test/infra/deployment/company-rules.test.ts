import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSettings } from '../../../infra/check-settings.ts';
import type { SettingsInput } from '../../../infra/settings.ts';
import { ConfigError } from '../../../shared/errors.ts';
import { all, at, find, plainSettings, runDeployment } from '../../support/deployment-program.ts';

const kmsKey = 'projects/acme-keys/locations/us-central1/keyRings/data/cryptoKeys/dlo';
// In the order in which Pulumi sends them.
const labels = { cost_center: '42', team: 'payments' };
const sharedNetwork = {
  privateNetwork: 'projects/acme-host/global/networks/shared',
  privateSubnetwork: 'projects/acme-host/regions/us-central1/subnetworks/functions',
};
const strict = await runDeployment({
  ...plainSettings,
  ...sharedNetwork,
  kmsKey,
  labels,
  ingress: 'ALLOW_INTERNAL_AND_GCLB',
  privateServiceConnect: true,
  exportArchive: true,
});
const usual = await runDeployment({ ...plainSettings, exportArchive: true });

const problemsOf = (own: Partial<SettingsInput>): string[] => {
  try {
    checkSettings({ ...plainSettings, ...own });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ field }) => field);
  }
};
/** The path of each value in `inputs` that satisfies `isMatch`. */
const pathsTo = (inputs: unknown, isMatch: (value: unknown) => boolean, path = ''): string[] => {
  if (isMatch(inputs)) return [path.slice(1)];
  if (typeof inputs !== 'object' || inputs === null) return [];
  return Object.entries(inputs).flatMap(([key, value]) => pathsTo(value, isMatch, `${path}.${key}`));
};
const typesWith = (value: unknown) =>
  strict.resources.flatMap(({ type, inputs }) =>
    pathsTo(inputs, (each) => JSON.stringify(each) === JSON.stringify(value)).map(
      (path) => `${type} ${path}`,
    ),
  );

describe('a deployment in a company with rules', () => {
  it('encrypts everything that stores data with the key of the company', () => {
    assert.deepEqual([...new Set(typesWith(kmsKey))].sort(), [
      'gcp:artifactregistry/repository:Repository kmsKeyName',
      'gcp:cloudfunctionsv2/function:Function kmsKeyName',
      'gcp:pubsub/topic:Topic kmsKeyName',
      'gcp:secretmanager/secret:Secret replication.userManaged.replicas.0.customerManagedEncryption.kmsKeyName',
      'gcp:sql/databaseInstance:DatabaseInstance encryptionKeyName',
      'gcp:storage/bucket:Bucket encryption.defaultKmsKeyName',
    ]);
    for (const type of ['pubsub/topic:Topic', 'storage/bucket:Bucket', 'secretmanager/secret:Secret']) {
      const encrypted = typesWith(kmsKey).filter((each) => each.startsWith(`gcp:${type} `));
      assert.equal(encrypted.length, all(strict, type).length, type);
    }
  });

  it('labels every resource that can have labels', () => {
    assert.deepEqual([...new Set(typesWith(labels))].sort(), [
      'gcp:artifactregistry/repository:Repository labels',
      'gcp:cloudfunctionsv2/function:Function labels',
      'gcp:monitoring/alertPolicy:AlertPolicy userLabels',
      'gcp:monitoring/notificationChannel:NotificationChannel userLabels',
      'gcp:pubsub/subscription:Subscription labels',
      'gcp:pubsub/topic:Topic labels',
      'gcp:secretmanager/secret:Secret labels',
      'gcp:sql/databaseInstance:DatabaseInstance settings.userLabels',
      'gcp:storage/bucket:Bucket labels',
    ]);
  });

  it('keeps Google keys, and no labels, without these settings', () => {
    assert.doesNotMatch(JSON.stringify(usual.resources), /kms|encryption|[lL]abels":\{"team/);
  });

  it('is reached from the networks that the setting ingress names', () => {
    const ingress = (ran: typeof strict) =>
      all(ran, 'cloudfunctionsv2/function:Function').map(({ inputs }) => [
        inputs.name,
        at(inputs, 'serviceConfig', 'ingressSettings'),
      ]);
    const having = (setting: string) => [
      ['dlo-capture', setting],
      ['dlo-console', setting],
      ['dlo-maintain', 'ALLOW_INTERNAL_ONLY'],
      ['dlo-replay', setting],
      ['dlo-retry', 'ALLOW_INTERNAL_ONLY'],
    ];
    assert.deepEqual(ingress(strict), having('ALLOW_INTERNAL_AND_GCLB'));
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
          allowedConsumerProjects: ['acme-host', 'acme-test'],
          pscAutoConnections: [
            { consumerNetwork: sharedNetwork.privateNetwork, consumerServiceProjectId: 'acme-test' },
          ],
          pscAutoDnsEnabled: true,
        },
      ],
    });
    for (const { inputs } of all(strict, 'cloudfunctionsv2/function:Function')) {
      assert.equal(at(inputs, 'serviceConfig', 'environmentVariables', 'DB_IP_TYPE'), 'PSC');
      assert.deepEqual(at(inputs, 'serviceConfig', 'directVpcNetworkInterfaces'), [
        { network: sharedNetwork.privateNetwork, subnetwork: sharedNetwork.privateSubnetwork },
      ]);
    }
  });

  for (const [fault, settings, field] of [
    ['a key in another location', { kmsKey, region: 'europe-west1' }, 'kmsKey'],
    ['a subnetwork in another region', { ...sharedNetwork, region: 'europe-west1' }, 'privateSubnetwork'],
    [
      'a subnetwork of another network',
      { ...sharedNetwork, privateNetwork: 'projects/acme-test/global/networks/own' },
      'privateSubnetwork',
    ],
    ['Private Service Connect without a network', { privateServiceConnect: true }, 'privateServiceConnect'],
    ['a label that Google Cloud rejects', { labels: { Team: 'payments' } }, 'labels.Team'],
  ] as const) {
    it(`is rejected before the first resource with ${fault}`, () => {
      assert.deepEqual(problemsOf(settings), [field]);
    });
  }
});
