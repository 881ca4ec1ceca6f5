import { presets } from './presets.ts';
import { mediaTypes, type SourceRecord } from './source.ts';

/** A source with the fields of its preset. */
export type Source = SourceRecord & { readonly mediaType?: string };

/** A request's source, and what follows its name in the path. */
export type Addressed = { readonly source: Source | undefined; readonly path: string };

/**
 * Opens the sources of a deployment: `/capture/NAME` is that of the source NAME, any other path that of `default`. Where
 * captures are signed, NAME has to be a source with a secret of its own: no signature covers the path.
 */
export function openSources(records: readonly SourceRecord[], isSigned = false): (path: string) => Addressed {
  const usable = records.filter(
    ({ name, secret }) => !isSigned || name === 'default' || secret !== undefined,
  );
  const sources = new Map(usable.map((record) => [record.name, complete(record)]));
  return (path) => {
    const [, start = '', name = ''] = /^(\/+(?:capture(?=\/|$))?\/*)([^/]*)/.exec(path) ?? [];
    const named = name === 'default' ? undefined : sources.get(name);
    if (named) return { source: named, path: path.slice(start.length + name.length) || '/' };
    return { source: sources.get('default'), path };
  };
}

function complete(record: SourceRecord): Source {
  const preset = presets.find(({ name }) => name === record.preset) ?? {};
  const mediaType = mediaTypes[record.format ?? ''];
  const own = Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
  return { ...preset, ...own, ...(mediaType !== undefined && { mediaType }) } as Source;
}
