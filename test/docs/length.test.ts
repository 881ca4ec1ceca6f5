import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const pages = globSync(['{README,CHANGELOG,CONTRIBUTING}.md', 'docs/*.md']);
/** The words as wc counts them, tables and code included. */
const countWords = (page: string) => readFileSync(page, 'utf8').split(/\s+/).filter(Boolean).length;

describe('the documentation', () => {
  it('has at most 35,000 words', () => {
    const words = pages.reduce((total, page) => total + countWords(page), 0);
    assert.ok(words <= 35_000, `${words} words`);
  });

  it('has no line of prose of more than 110 columns', () => {
    // A row of a table, the text of a picture, and a setting of PgBouncer are one line each.
    const long = pages.flatMap((page) =>
      readFileSync(page, 'utf8')
        .split('\n')
        .filter((line) => line.length > 110 && !/^\s*(?:\||<|dlq = )/.test(line))
        .map((line) => `${page}: ${line}`),
    );
    assert.deepEqual(long, []);
  });
});
