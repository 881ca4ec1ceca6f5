import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { insertSection, writeSection } from '../changelog/join-fragments.ts';

const folder = path.resolve(import.meta.dirname, '../changelog');

describe('the changelog', () => {
  it('joins its fragments by kind under a version, before the versions before', () => {
    const section = writeSection('[0.3.0]: 2026-12-01', {
      'fixed-leases.md': '- A lease ends.\n',
      'added-snooze.md': '- **Snooze.** An event waits\n  until a time.\n',
      'added-digest.md': '- **Digest.**\n',
    });
    const joined = insertSection('# Changelog\n\n## [0.2.0]\n\n- All.\n', section);

    const added = '### Added\n\n- **Digest.**\n- **Snooze.** An event waits\n  until a time.\n';
    const fixed = '### Fixed\n\n- A lease ends.\n';
    assert.equal(
      joined,
      `# Changelog\n\n## [0.3.0]: 2026-12-01\n\n${added}\n${fixed}\n## [0.2.0]\n\n- All.\n`,
    );
  });

  it('rejects a fragment of an unknown kind', () => {
    assert.throws(
      () => writeSection('[0.3.0]', { 'new-thing.md': '- A thing.' }),
      /new-thing\.md: a fragment/,
    );
  });

  it('has fragments that can be joined, each with entries of a list', () => {
    const files = globSync('*.md', { cwd: folder });
    const fragments = files.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')] as const);

    writeSection('[next]', Object.fromEntries(fragments));
    for (const [file, text] of fragments) assert.match(text, /^(?:- \S[^\n]*\n(?: {2}\S[^\n]*\n)*)+$/, file);
  });
});
