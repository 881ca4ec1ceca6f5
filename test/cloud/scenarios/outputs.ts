import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { diagnosticsOf, fail, succeed, useCloud } from '../deployment.ts';
import { assertUnchanged, findByEnd, listMembers, listWrites } from '../expectations.ts';
import type { Google } from '../google/google.ts';
import type { Stack } from '../stack.ts';
import { createProgram } from '../workspace.ts';

const deployer = 'user:ana@acme.example';
const location = 'projects/acme-events/locations/us-central1';

/** Everything that the component takes comes from resources of the same program. */
const program = `
  import { DeadLetterOffice } from '@dead-letter-office/pulumi';
  import { Repository } from '@pulumi/gcp/artifactregistry';
  import { Topic } from '@pulumi/gcp/pubsub';
  import { Secret, SecretVersion } from '@pulumi/gcp/secretmanager';
  import { Account } from '@pulumi/gcp/serviceaccount';
  import * as pulumi from '@pulumi/pulumi';
  const images = new Repository('images', { repositoryId: 'images', location: 'us-central1', format: 'DOCKER' });
  const returns = new Topic('returns', { name: 'returns-dead' });
  const shop = new Account('shop', { accountId: 'shop-consumer' });
  const replication = { auto: {} };
  const secret = new Secret('signing', { secretId: 'signing', replication });
  const signing = new SecretVersion('signing', { secret: secret.id, secretData: 'sixteen characters' });
  const url = pulumi.interpolate\`https://\${shop.accountId}.acme.example/orders\`;
  new DeadLetterOffice('dead-letters', {
    project: returns.project,
    region: images.location,
    deployer: pulumi.output('${deployer}'),
    repository: images.id.apply((id) => id),
    captureSecrets: signing.secretData.apply((text) => text ?? ''),
    grantDelaySeconds: 0,
    sources: [
      { name: 'returns', kind: 'topic', topic: returns.id },
      { name: 'shop', kind: 'caller', member: shop.member },
    ],
    routes: [{ match: { eventType: 'order.*' }, target: { kind: 'http', url } }],
  });
`;

describe('the component with outputs of other resources', () => {
  const cloud = useCloud('acme-events', deployer, createProgram);
  let stack: Stack;
  let google: Google;
  before(async () => {
    ({ google } = cloud());
    await cloud().workspace.edit('index.ts', () => program);
    stack = await cloud().stack('dev');
    await stack.set('gcp:project', 'acme-events');
  });
  const change = (from: string, to: string) =>
    cloud().workspace.edit('index.ts', (code) => code.replace(from, to));

  it('is previewed before any of them is known', async (t) => {
    const { changes } = await succeed(t, stack, 'preview');
    assert.ok(changes.created > 100);
    assert.deepEqual(listWrites(google), []);
  });

  it('is created with their values', async (t) => {
    await succeed(t, stack, 'up');
    const { buildConfig } = findByEnd(google, `${location}/functions/dlo-retry`);
    assert.match(JSON.stringify(buildConfig), new RegExp(`${location}/repositories/images`));
    const { data } = Object(findByEnd(google, 'secrets/dlo-routes/versions/1').payload);
    assert.match(Buffer.from(data, 'base64').toString(), /https:\/\/shop-consumer\.acme\.example\/orders/);
    assert.deepEqual(listMembers(google, `${location}/services/dlo-capture`, 'roles/run.invoker'), [
      'serviceAccount:dlo-capture-push@acme-events.iam.gserviceaccount.com',
      'serviceAccount:shop-consumer@acme-events.iam.gserviceaccount.com',
    ]);
  });

  it('is left as it is by another update', async (t) => {
    const calls = google.calls.length;
    assertUnchanged(await succeed(t, stack, 'up'));
    assert.deepEqual(listWrites(google, calls), []);
  });

  it('is refused in the preview for a value that becomes invalid, which is not shown', async (t) => {
    const restore = await change('images.id.apply((id) => id)', "images.id.apply((id) => id + '/password')");
    const calls = google.calls.length;
    for (const command of ['preview', 'up'] as const) {
      const said = diagnosticsOf(await fail(t, stack, command));
      assert.match(said, /repository = "\(an output\)"\s+Must look like projects/);
      assert.doesNotMatch(said, /password/);
    }
    assert.deepEqual(listWrites(google, calls), []);
    await restore();
  });

  it('is refused with the name of a setting that plans resources', async (t) => {
    await change('grantDelaySeconds: 0', 'grantDelaySeconds: 0, name: shop.accountId as never');
    assert.match(
      diagnosticsOf(await fail(t, stack, 'preview')),
      /name = "\(an output\)"\s+Use a plain value/,
    );
  });
});
