import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import * as pulumi from '@pulumi/pulumi';
import { openResource } from '../../../infra/dynamic/dynamic-code.ts';
import type { OriginInputs } from '../../../infra/keep-origin.ts';
import {
  all,
  allOwn,
  configurations,
  deployed,
  plainSettings,
  runDeployment,
} from '../../support/deployment-program.ts';

const inputsOf = (ran: Awaited<ReturnType<typeof deployed>>) =>
  allOwn(ran, 'Origin')[0]?.inputs as unknown as OriginInputs;
const before = inputsOf(await deployed('plain'));

/** The inputs marked ForceNew in the schema of terraform-provider-google-beta 7.45, of what may hold events. */
const forcing = {
  'pubsub/topic:Topic': ['name', 'project', 'tags'],
  'pubsub/subscription:Subscription': [
    ...['enableMessageOrdering', 'filter', 'name', 'project', 'tags', 'topic'],
  ],
  'sql/databaseInstance:DatabaseInstance': [
    ...['encryptionKeyName', 'masterInstanceName', 'name', 'project', 'region', 'replicaConfiguration'],
  ],
  'storage/bucket:Bucket': [
    ...[
      'customPlacementConfig',
      'enableObjectRetention',
      'hierarchicalNamespace',
      'location',
      'name',
      'project',
    ],
  ],
};

const listForcing = (ran: Awaited<ReturnType<typeof deployed>>) =>
  Object.entries(forcing).flatMap(([type, names]) =>
    all(ran, type).map(({ name, inputs }) => `${name}: ${JSON.stringify(names.map((each) => inputs[each]))}`),
  );

type Access = { readonly accessToken?: string };

/** Asks as Pulumi does in a preview of an existing stack, without a token if it does not know the credentials. */
const compare = async (
  olds: OriginInputs,
  news: OriginInputs,
  access: Access = { accessToken: 'theirs' },
) => {
  const resource = openResource({ kind: 'Origin', ...news, ...access, options: {} });
  const { failures: [refused] = [] } = await resource.check(olds);
  if (refused) throw new Error(refused.reason);
  return (await resource.diff(olds)).changes;
};

/** The preview of other settings on an existing stack. */
const preview = (settings: OriginInputs['settings'], access?: Access) =>
  compare(before, { ...before, settings: { ...before.settings, ...settings } }, access);

describe('what can be set only at the creation of a deployment', () => {
  const others = {
    project: 'acme-other',
    name: 'other',
    region: 'europe-west1',
    kmsKey: 'projects/acme-keys/locations/us-central1/keyRings/data/cryptoKeys/dlo',
    existingInstance: 'acme-shared:europe-west1:main',
    databaseUrls: 'set',
  };

  for (const [name, value] of Object.entries(others)) {
    it(`is refused in the preview with another ${name}, and a way to move`, async () => {
      await assert.rejects(
        preview({ [name]: value }),
        new RegExp(`Cannot change ${name} from ".*" to "${value}".*docs/deploy\\.md#moving`),
      );
    });
  }

  it('is refused with URLs in place of Cloud SQL, and with Cloud SQL in place of URLs', async () => {
    const elsewhere = inputsOf(await deployed('elsewhere'));
    await assert.rejects(compare(before, elsewhere), /Cannot change databaseUrls from "" to "set"/);
    await assert.rejects(compare(elsewhere, before), /Cannot change databaseUrls from "set" to ""/);
  });

  it('is refused all at once', async () => {
    await assert.rejects(preview({ region: 'europe-west1', name: 'other' }), /name from .*, region from /);
  });

  it('is refused in a preview that does not know the credentials of the provider, or an output', async () => {
    const { unknownValue } = pulumi.runtime;
    const unknown = { kmsKey: unknownValue, region: 'europe-west1' };
    for (const access of [{}, { accessToken: unknownValue }, undefined]) {
      await assert.rejects(preview(unknown, access), /Cannot change region from "[^"]*" to "europe-west1":/);
      assert.equal(await preview({ kmsKey: unknownValue }, access), true);
    }
  });

  it('allows an instance to join a private network, and not to leave it', async () => {
    const { privateNetwork } = configurations.network;
    assert.equal(await preview({ privateNetwork }), true);
    const joined = { ...before, settings: { ...before.settings, privateNetwork } };
    await assert.rejects(compare(joined, before), /Cannot change privateNetwork/);
    const byConnect = { ...joined.settings, privateServiceConnect: true };
    assert.equal(await preview(byConnect), true);
    await assert.rejects(
      compare(joined, { ...joined, settings: byConnect }),
      /Cannot change privateServiceConnect from "false" to "true"/,
    );
  });

  it('keeps the topic of a source, which may be added and removed', async () => {
    const topic = 'projects/acme-test/topics/returns-dead';
    const sources = [{ name: 'returns', kind: 'topic' as const, topic }];
    const withTopic = inputsOf(await runDeployment({ ...configurations.plain, sources }));
    assert.equal(await compare(before, withTopic), true);
    assert.equal(await compare(withTopic, before), true);
    const settings = { ...withTopic.settings, 'sources.returns.topic': `${topic}-2` };
    await assert.rejects(
      compare(withTopic, { ...withTopic, settings }),
      /Cannot change sources\.returns\.topic from "projects.*docs\/deploy\.md#moving/,
    );
  });

  it('refuses settings that were outputs with what is wrong with them', async () => {
    const check = (problems: string) => compare(before, { ...before, problems });
    await assert.rejects(check('kmsKey = "(an output)"'), /kmsKey = "\(an output\)"/);
    assert.equal(await check(pulumi.runtime.unknownValue), true);
  });

  it('changes with no other setting, protected or not', async () => {
    const changed = { ...configurations.plain, deletionProtection: false, tier: 'db-custom-2-7680' };
    assert.equal(await preview(inputsOf(await runDeployment(changed)).settings), false);
  });

  it('is listed in docs/deploy.md', () => {
    const [, after = ''] = readFileSync('docs/deploy.md', 'utf8').split('<!-- origin -->\n');
    const rows = after.split('\n\n')[0]?.split('\n').slice(2) ?? [];
    const named = rows.flatMap((row) => row.split('|')[1]?.match(/`(\w+)`/g) ?? []);
    assert.deepEqual(
      named.map((name) => name.replaceAll('`', '')).sort(),
      [...Object.keys(before.settings), 'sources'].sort(),
    );
  });

  it('determines alone each input that the provider can only replace where events or messages are', async () => {
    const { full } = configurations;
    const given: Readonly<Record<string, unknown>> = full;
    const kept = Object.keys(before.settings).filter((name) => name in given);
    const sources = full.sources.filter(({ kind }) => kind === 'topic');
    const least = { ...plainSettings, ...Object.fromEntries(kept.map((name) => [name, given[name]])) };
    const subnetwork = { privateSubnetwork: full.privateSubnetwork };
    const other = { ...least, ...subnetwork, exportArchive: true, deletionProtection: false, sources };
    const [one, two] = [await deployed('full'), await runDeployment(other)].map(listForcing);
    assert.ok(two && two.length >= 12);
    for (const each of two) assert.ok(one?.includes(each), each);
  });
});
