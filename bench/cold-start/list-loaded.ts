import { createRequire } from 'node:module';

// Preloaded into a function. The last line of its output then lists the CommonJS modules that it loaded.
const { cache } = createRequire(import.meta.url);
process.on('exit', () => process.stdout.write(`\n${JSON.stringify(Object.keys(cache))}`));
