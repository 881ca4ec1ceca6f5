import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fingerprintReason } from '../../../shared/fingerprint/fingerprint.ts';
import { changeGroups } from '../../../shared/groups/change-groups.ts';
import { useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { useFailures } from '../../support/failures.ts';

describe('a muted error', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const fail = useFailures(database);
  const timeout = fingerprintReason('timeout');
  const read = async (path: string) => (await fetch(`${served().url}/${path}`)).text();
  before(async () => {
    await fail('timeout', 3);
    await fail('no stock');
    const mutedUntil = new Date(Date.now() + 3_600_000);
    await changeGroups(database().db, [timeout], { state: 'MUTED', mutedUntil, actor: 'ann' });
  });

  it('is not among the errors of the overview', async () => {
    const page = await read('');
    assert.match(page, /no stock/);
    assert.doesNotMatch(page, />timeout</);
  });

  it('shows viewers how long it is muted', async () => {
    served().caller = viewer;
    assert.match(await read(`groups/${timeout}`), /muted<\/span><span class="muted">until <time/);
  });

  it('has a history that does not repeat its title', async () => {
    assert.match(await read(`groups/${timeout}`), /<strong>ann<\/strong> muted an error\s+until <time/);
    assert.match(await read('activity'), /muted an error <a [^>]*>timeout<\/a> until <time/);
  });
});
