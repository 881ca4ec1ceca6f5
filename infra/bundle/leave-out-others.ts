import type { Plugin } from 'esbuild';

/** Leaves out what `entry` would load for other functions than the one that is built: an instance only ever runs that. */
export function leaveOutOthers(entry: string, functions: readonly string[], own: string): Plugin {
  const others = functions.filter((name) => name !== own);
  return {
    name: 'leave-out-others',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/[^/]+\// }, ({ path, importer, kind }) => {
        const isOther = others.includes(path.split('/')[1] ?? '');
        const isAsked = kind === 'dynamic-import' && importer.replaceAll('\\', '/').endsWith(`/${entry}`);
        return isOther && isAsked ? { path, external: true } : undefined;
      });
    },
  };
}
