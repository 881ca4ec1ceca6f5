import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type Keyring, openKeyring } from '../../../functions/identity/public-keys.ts';
import { useGoogleKeys } from '../../support/google-keys.ts';

describe('the keys of Google', () => {
  const keys = useGoogleKeys();
  let minutes = 0;
  let keyring: Keyring;
  beforeEach(() => {
    minutes = 0;
    keyring = openKeyring(keys().urls.google, () => minutes * 60_000);
  });
  const fetches = () => keys().fetched.google;

  it('are fetched when they are needed, and once for all who wait for them', async () => {
    assert.equal(fetches(), 0);

    await Promise.all(Array.from({ length: 5 }, () => keyring('key-1')));
    assert.equal(fetches(), 1);
  });

  it('are kept for as long as they say', async () => {
    await keyring('key-1');
    minutes = 59;
    await keyring('key-1');
    assert.equal(fetches(), 1);

    minutes = 61;
    await keyring('key-1');
    assert.equal(fetches(), 2);
  });

  it('are fetched for one that is not among them, but not more than once a minute', async () => {
    await keyring('key-1');
    const kid = keys().rotate();
    assert.equal(Object.hasOwn(await keyring(kid), kid), false);
    assert.equal(fetches(), 1);

    minutes = 1;
    assert.equal(Object.hasOwn(await keyring(kid), kid), true);
    for (let i = 0; i < 5; i++) await keyring('unknown');
    assert.equal(fetches(), 2);
  });

  it('are asked for again after that failed', async () => {
    keys().isDown = true;
    await assert.rejects(keyring('key-1'), { code: 'IDENTITY_UNAVAILABLE' });

    keys().isDown = false;
    assert.ok((await keyring('key-1'))['key-1']);
  });
});
