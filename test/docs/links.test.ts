import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { statuses } from '../../shared/errors.ts';

const root = path.resolve(import.meta.dirname, '../..');
const pages = globSync(['*.md', '{docs,bench,examples,packages,test}/**/*.md'], {
  cwd: root,
  exclude: (name) => name.includes('node_modules'),
});

/** The text of a page without its code blocks. */
const readPage = (page: string) =>
  readFileSync(path.join(root, page), 'utf8').replaceAll(/^```.*?^```|^ {4}.*?$/gms, '');

/** The anchors of a page, as GitHub makes them of its headings. */
const anchorsOf = (page: string) =>
  [...readPage(page).matchAll(/^#+ (.*)$|<a id="(.*?)">/gm)].map(([, heading = '', anchor]) =>
    anchor
      ? anchor
      : heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-'),
  );

const files = /`((?:docs|shared|functions|infra|local|migrations|test|bench|packages|examples)\/[\w./-]+)`/g;

describe('the documentation', () => {
  for (const page of pages) {
    it(`of ${page} names no file or heading that does not exist`, () => {
      const links = readPage(page).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g);
      const targets = [...links].map(([, link, source]) => link ?? source ?? '');
      const broken = targets.filter((target) => {
        if (/^https?:/.test(target)) return false;
        const [file = '', anchor] = target.split('#');
        const other = file === '' ? page : path.join(path.dirname(page), file);
        if (!existsSync(path.join(root, other))) return true;
        return anchor !== undefined && !anchorsOf(other).includes(anchor);
      });
      const named = [...readPage(page).matchAll(files)].map(([, file = '']) => file);
      const missing = named.filter((file) => !file.includes('NNN') && !existsSync(path.join(root, file)));
      assert.deepEqual([...broken, ...missing], []);
    });
  }

  it('has each code of the problems of the API', () => {
    const [, , status = '', rows = ''] =
      /## Problems\n.*?(\n\| (status).*?\n)(\|.*?)\n\n/s.exec(readPage('docs/actions.md')) ?? [];
    assert.equal(status, 'status');
    const documented = [...rows.matchAll(/^\| (\d{3}) \| ([^|]+) \|/gm)].flatMap(([, code, names = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => `${code} ${name}`),
    );
    const met = Object.entries(statuses).filter(([code, number]) => number !== 500 || code === 'UNEXPECTED');
    assert.deepEqual(documented.sort(), met.map(([code, number]) => `${number} ${code}`).sort());
  });
});
