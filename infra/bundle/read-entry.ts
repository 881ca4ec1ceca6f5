import path from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, type StdinOptions } from 'esbuild';

/** The names of all that a module exports. */
export async function listExports(root: string, entry: string): Promise<readonly string[]> {
  const outputs = await look({ entryPoints: [path.join(root, entry)] });
  return outputs.flatMap((output) => output.exports);
}

/** What the one export that `stdin` names imports by `import()`, as it is written in the module that it comes from. */
export async function listImports(stdin: StdinOptions): Promise<readonly string[]> {
  const outputs = await look({ stdin, bundle: true, plugins: [goNoFurther] });
  return outputs
    .flatMap((output) => output.imports)
    .filter(({ kind }) => kind === 'dynamic-import')
    .map((each) => each.path);
}

const goNoFurther: Plugin = {
  name: 'go-no-further',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path: file, importer }) =>
      importer === '<stdin>' ? undefined : { path: file, external: true },
    );
  },
};

async function look(options: BuildOptions): Promise<Metafile['outputs'][string][]> {
  const { metafile } = await build({
    ...options,
    outdir: '.',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return Object.values(metafile.outputs);
}
