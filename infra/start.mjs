import { RunError } from '@pulumi/pulumi';

// JavaScript, so that a Node.js that cannot load the program can say so.
if (!process.features.typescript) {
  throw new RunError(
    `Node.js ${process.versions.node} cannot run this program: it needs 22.18 or newer. ` +
      'Use `npm run preview`, `npm run deploy` and `npm run destroy`, which bring their own, or install a newer one.',
  );
}

const { outputs } = await import('./index.ts');

// biome-ignore lint/style/noDefaultExport: of a module Pulumi takes the default export as the outputs of the stack.
export default outputs;
