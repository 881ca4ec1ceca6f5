import type { Rewrite } from './rewrite-modules.ts';

/**
 * Loads at the start those `files` that `entry` imports on the first call: an instance has no other use than to be
 * called. Then esbuild sees what of them is not used, and leaves it out.
 */
export function loadAtOnce(entry: string, files: readonly string[]): Rewrite {
  return (code, place) => (place === entry ? hoistImports(code, files) : code);
}

function hoistImports(code: string, files: readonly string[]): string {
  const imports: string[] = [];
  const rest = code.replaceAll(/await import\('(\.[^']+)'\)/g, (whole, file: string) => {
    if (!files.includes(file)) return whole;
    imports.push(`import * as imported${imports.length} from '${file}';\n`);
    return `imported${imports.length - 1}`;
  });
  return imports.join('') + rest;
}
