// Joins the fragments of this folder into CHANGELOG.md under a version, and deletes them:
//   npm run changelog -- 0.3.0
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The kinds of changes, in the order of https://keepachangelog.com/en/1.1.0/. */
const kinds = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security'] as const;

/** Returns the section of a version: the entries of all fragments by kind, and by name within it. */
export function writeSection(title: string, fragments: Readonly<Record<string, string>>): string {
  const names = Object.keys(fragments).toSorted();
  const unknown = names.filter((name) => !kinds.some((kind) => name.startsWith(`${kind}-`)));
  if (unknown.length > 0) {
    throw new Error(
      `${unknown.join(', ')}: a fragment is named KIND-SUBJECT.md, KIND one of ${kinds.join(', ')}.`,
    );
  }
  const sections = kinds.flatMap((kind) => {
    const entries = names
      .filter((name) => name.startsWith(`${kind}-`))
      .map((name) => fragments[name]?.trim());
    const heading = `### ${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
    return entries.length > 0 ? [`${heading}\n\n${entries.join('\n')}\n`] : [];
  });
  return [`## ${title}\n`, ...sections].join('\n');
}

/** Puts a section before the first one of a changelog. */
export function insertSection(changelog: string, section: string): string {
  const at = changelog.search(/^## /m);
  return `${changelog.slice(0, at)}${section}\n${changelog.slice(at)}`;
}

if (import.meta.main) {
  const [version] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) throw new Error('Give a version: npm run changelog -- 0.3.0');
  const files = globSync('*-*.md', { cwd: import.meta.dirname });
  const read = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8');
  const fragments = Object.fromEntries(files.map((file) => [file, read(file)]));
  const section = writeSection(`[${version}]: ${new Date().toISOString().slice(0, 10)}`, fragments);
  const changelog = path.join(import.meta.dirname, '../CHANGELOG.md');
  writeFileSync(changelog, insertSection(readFileSync(changelog, 'utf8'), section));
  for (const file of files) rmSync(path.join(import.meta.dirname, file));
}
