// Joins the fragments of this folder into CHANGELOG.md under a version, and deletes them:
//   npm run changelog -- 0.3.0
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The kinds of changes, in the order of https://keepachangelog.com/en/1.1.0/. */
const kinds = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security'] as const;

type Fragments = Readonly<Record<string, string>>;
type Release = { readonly version: string; readonly date: string };

/**
 * Returns a changelog with the entries of all fragments under a version, by kind, and by name within it: in the
 * section that it has as unreleased, or in one before the first. Throws for a fragment of an unknown kind.
 */
export function joinFragments(changelog: string, { version, date }: Release, fragments: Fragments): string {
  const names = Object.keys(fragments).toSorted();
  const unknown = names.filter((name) => !kinds.some((kind) => name.startsWith(`${kind}-`)));
  if (unknown.length > 0) {
    throw new Error(
      `${unknown.join(', ')}: a fragment is named KIND-SUBJECT.md, KIND one of ${kinds.join(', ')}.`,
    );
  }
  const unreleased = `## [Unreleased]: ${version}\n`;
  const start = changelog.search(/^## /m);
  const isKnown = changelog.startsWith(unreleased, start);
  const end = isKnown ? findEnd(changelog, '\n## ', start) : start;
  const entriesOf = (kind: string) =>
    names.filter((name) => name.startsWith(`${kind}-`)).map((name) => fragments[name]?.trim());
  const section = kinds.reduce(
    (text, kind) => addEntries(text, kind, entriesOf(kind).join('\n')),
    `## [${version}]: ${date}\n${isKnown ? changelog.slice(start + unreleased.length, end) : ''}`,
  );
  const rest = changelog.slice(end).trimStart();
  return `${changelog.slice(0, start)}${section.trimEnd()}\n${rest === '' ? '' : `\n${rest}`}`;
}

/** Adds entries to those of their kind, or with a heading behind all others. */
function addEntries(section: string, kind: string, entries: string): string {
  if (entries === '') return section;
  const heading = `### ${kind.charAt(0).toUpperCase()}${kind.slice(1)}\n`;
  const at = section.indexOf(heading);
  if (at === -1) return `${section.trimEnd()}\n\n${heading}\n${entries}\n`;
  const end = findEnd(section, '\n### ', at);
  return `${section.slice(0, end).trimEnd()}\n${entries}\n${section.slice(end)}`;
}

function findEnd(text: string, heading: string, start: number): number {
  const next = text.indexOf(heading, start);
  return next === -1 ? text.length : next;
}

if (import.meta.main) {
  const [version = ''] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Give a version: npm run changelog -- 0.3.0');
  const files = globSync('*-*.md', { cwd: import.meta.dirname });
  const read = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8');
  const fragments = Object.fromEntries(files.map((file) => [file, read(file)]));
  const changelog = path.join(import.meta.dirname, '../CHANGELOG.md');
  const release = { version, date: new Date().toISOString().slice(0, 10) };
  writeFileSync(changelog, joinFragments(readFileSync(changelog, 'utf8'), release, fragments));
  for (const file of files) rmSync(path.join(import.meta.dirname, file));
}
