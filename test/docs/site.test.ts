import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { buildSite } from '../../docs/site/build.ts';

describe('the site of the documentation (npm run docs)', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'site-'));
    buildSite(folder);
  });
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');

  it('has each page of docs/ in its navigation', () => {
    const navigation = /<nav.*?<\/nav>/s.exec(read('index.html'))?.[0] ?? '';
    const listed = [...navigation.matchAll(/href="([\w-]+)\.html"/g)].map(
      ([, name = '']) => `docs/${name}.md`,
    );
    assert.deepEqual(listed.sort(), globSync('docs/*.md').sort());
  });

  it('has no link to a page, a heading or a picture that is not there', () => {
    const broken = globSync('*.html', { cwd: folder }).flatMap((name) =>
      [...read(name).matchAll(/(?:href|src|srcset)="([^"]+)"/g)]
        .map(([, target = '']) => target)
        .filter((target) => {
          if (/^https?:/.test(target)) return false;
          const [file = '', anchor] = target.split('#');
          if (!existsSync(path.join(folder, file || name))) return true;
          return anchor !== undefined && !read(file || name).includes(`id="${anchor}"`);
        })
        .map((target) => `${name}: ${target}`),
    );
    assert.deepEqual(broken, []);
  });
});
