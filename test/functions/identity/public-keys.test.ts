import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type Keyring, openKeyring } from '../../../functions/identity/public-keys.ts';
import { useIapKeys } from '../../support/iap-keys.ts';

describe('the public keys of IAP', () => {
  const keys = useIapKeys();
  let minutes = 0;
  let keyring: Keyring;
  beforeEach(() => {
    minutes = 0;
    keyring = openKeyring(keys().url, () => minutes * 60_000);
  });
  const fetches = () => keys().fetched;

  it('are fetched when first needed, and once for all concurrent requests', async () => {
    assert.equal(fetches(), 0);

    await Promise.all(Array.from({ length: 5 }, () => keyring('key-1')));
    assert.equal(fetches(), 1);
  });

  it('are cached for the max-age of the response', async () => {
    await keyring('key-1');
    minutes = 59;
    await keyring('key-1');
    assert.equal(fetches(), 1);

    minutes = 61;
    await keyring('key-1');
    assert.equal(fetches(), 2);
  });

  for (const [cacheControl, until] of [
    ['no-cache', 5],
    ['max-age=0', 1],
  ] as const) {
    it(`are cached for ${until} min by the header ${cacheControl}`, async () => {
      keys().cacheControl = cacheControl;
      await keyring('key-1');
      minutes = until - 0.1;
      await keyring('key-1');
      assert.equal(fetches(), 1);

      minutes = until;
      await keyring('key-1');
      assert.equal(fetches(), 2);
    });
  }

  it('are fetched again for an unknown key, but at most once a minute', async () => {
    await keyring('key-1');
    const kid = keys().rotate();
    assert.equal(Object.hasOwn(await keyring(kid), kid), false);
    assert.equal(fetches(), 1);

    minutes = 1;
    assert.equal(Object.hasOwn(await keyring(kid), kid), true);
    for (let i = 0; i < 5; i++) await keyring('unknown');
    assert.equal(fetches(), 2);
  });

  it('are fetched again after a failed fetch', async () => {
    keys().isDown = true;
    await assert.rejects(keyring('key-1'), { code: 'IDENTITY_UNAVAILABLE' });

    keys().isDown = false;
    assert.ok((await keyring('key-1'))['key-1']);
  });
});
