import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { mayEnter } from '../../local/database/permission.ts';
import { composeEnvironment } from '../../local/environment.ts';
import { makeRunFolder, removeRunFolder } from '../../local/run-folder.ts';
import { readSettings } from '../../local/settings.ts';
import { readConfig } from '../../shared/config.ts';

const folder = makeRunFolder();
after(() => removeRunFolder(folder));

describe('the environment of local functions', () => {
  it('puts the routes of the person before those of the demo', () => {
    const routeTo = (url: string) => ({ target: { kind: 'http', url } });
    const settings = readSettings({ ROUTES: JSON.stringify([routeTo('http://person/')]) });

    const demoRoutes = [routeTo('http://demo/')];
    const env = composeEnvironment(settings, {
      databaseUrl: 'postgres://h/d',
      demoRoutes,
      runFolder: folder,
      continuation: { CONTINUE_TOPIC: 'projects/office/topics/continue' },
    });

    const urls = readConfig(env).routes.map(({ target }) => target.kind === 'http' && target.url);
    assert.deepEqual(urls, ['http://person/', 'http://demo/']);
    assert.equal(JSON.parse(readFileSync(join(folder, 'routes.json'), 'utf8')).length, 2);
    assert.equal('PORT' in env, false);
    assert.equal(readConfig(env).retry.workers, 4);
  });
});

describe('a place for PostgreSQL', () => {
  it('is refused where its user may not pass through', () => {
    const inner = join(folder, 'outer', 'inner');
    mkdirSync(inner, { recursive: true });
    chmodSync(folder, 0o711);
    const stranger = { uid: 12_345, gid: 12_345 };

    chmodSync(join(folder, 'outer'), 0o711);
    assert.equal(mayEnter(stranger, inner), true);
    chmodSync(join(folder, 'outer'), 0o700);
    assert.equal(mayEnter(stranger, inner), false);
    assert.equal(mayEnter({ ...stranger, uid: process.getuid?.() ?? 0 }, inner), true);
  });
});
