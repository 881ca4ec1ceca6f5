import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { joinFragments } from '../changelog/join-fragments.ts';

const folder = path.resolve(import.meta.dirname, '../changelog');

const release = { version: '0.3.0', date: '2026-12-01' };

describe('the changelog', () => {
  it('joins its fragments by kind under a version, before the versions before', () => {
    const joined = joinFragments('# Changelog\n\n## [0.2.0]\n\n- All.\n', release, {
      'fixed-leases.md': '- A lease ends.\n',
      'added-snooze.md': '- **Snooze.** An event waits\n  until a time.\n',
      'added-digest.md': '- **Digest.**\n',
    });

    const added = '### Added\n\n- **Digest.**\n- **Snooze.** An event waits\n  until a time.\n';
    const fixed = '### Fixed\n\n- A lease ends.\n';
    assert.equal(
      joined,
      `# Changelog\n\n## [0.3.0]: 2026-12-01\n\n${added}\n${fixed}\n## [0.2.0]\n\n- All.\n`,
    );
  });

  it('joins them with what it has of an unreleased version, which gets its date', () => {
    const known = '# Changelog\n\n## [Unreleased]: 0.3.0\n\nThe first.\n\n### Added\n\n- All.\n';
    const joined = joinFragments(known, release, {
      'added-digest.md': '- **Digest.**\n',
      'fixed-leases.md': '- A lease ends.\n',
    });
    assert.equal(
      joined,
      '# Changelog\n\n## [0.3.0]: 2026-12-01\n\nThe first.\n\n### Added\n\n- All.\n- **Digest.**\n\n### Fixed\n\n- A lease ends.\n',
    );
  });

  it('rejects a fragment of an unknown kind', () => {
    assert.throws(
      () => joinFragments('# Changelog\n', release, { 'new-thing.md': '- A thing.' }),
      /new-thing\.md: a fragment/,
    );
  });

  it('has fragments that can be joined, each with entries of a list', () => {
    const files = globSync('*.md', { cwd: folder });
    const fragments = files.map((file) => [file, readFileSync(path.join(folder, file), 'utf8')] as const);

    joinFragments('# Changelog\n', release, Object.fromEntries(fragments));
    for (const [file, text] of fragments) assert.match(text, /^(?:- \S[^\n]*\n(?: {2}\S[^\n]*\n)*)+$/, file);
  });
});
