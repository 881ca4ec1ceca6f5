import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type OriginInputs, origin } from '../../../infra/origin/keep-origin.ts';
import { allOwn, configurations, deployed, runDeployment } from '../../support/deployment-program.ts';
import { withGoogle } from '../../support/google.ts';

const inputsOf = (ran: Awaited<ReturnType<typeof deployed>>) =>
  allOwn(ran, 'Origin')[0]?.inputs as unknown as OriginInputs;
const before = inputsOf(await deployed('plain'));

/** What a preview says of other settings on an existing stack. */
const preview = (settings: Partial<OriginInputs['settings']>) =>
  origin.hasChanged(withGoogle(), before, { ...before, settings: { ...before.settings, ...settings } });

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

  it('is refused all at once', async () => {
    await assert.rejects(preview({ region: 'europe-west1', name: 'other' }), /name from .*, region from /);
  });

  it('allows an instance to join a private network, and not to leave it', async () => {
    const { privateNetwork } = configurations.network;
    assert.equal(await preview({ privateNetwork }), true);
    const joined = { ...before, settings: { ...before.settings, privateNetwork } };
    await assert.rejects(origin.hasChanged(withGoogle(), joined, before), /Cannot change privateNetwork/);
    const byConnect = { ...joined.settings, privateServiceConnect: 'true' };
    assert.equal(await preview(byConnect), true);
    await assert.rejects(
      origin.hasChanged(withGoogle(), joined, { ...joined, settings: byConnect }),
      /Cannot change privateServiceConnect/,
    );
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
      Object.keys(before.settings).sort(),
    );
  });
});
