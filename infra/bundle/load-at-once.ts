import type { Rewrite } from './rewrite-modules.ts';

/**
 * Loads at the start what `entry` imports on the first call: in one file it is there anyway, and V8 would read it twice.
 * And then esbuild sees what is not used, such as all that belongs to other functions, and leaves it out.
 */
export function loadAtOnce(entry: string): Rewrite {
  return (code, place) => (place === entry ? hoistImports(code) : code);
}

function hoistImports(code: string): string {
  const imports: string[] = [];
  const rest = code.replaceAll(/await import\(('\.[^']+')\)/g, (_, file) => {
    imports.push(`import * as imported${imports.length} from ${file};\n`);
    return `imported${imports.length - 1}`;
  });
  return imports.join('') + rest;
}
